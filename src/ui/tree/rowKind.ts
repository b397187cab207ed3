import * as l10n from '@vscode/l10n';
import { type Command, type TreeItem, type TreeItemLabel, MarkdownString } from 'vscode';
import * as vscode from 'vscode';
import { embeddedIcon } from '../../core/icons/embeddedIcon';
import type { ProcessUsage } from '../../core/stdio/processFacts';
import type { Icon } from '../../core/types';
import { settings } from '../../ids';
import { matchRanges } from '../picking/toolFilter';
import { plainMarkdown } from './plainMarkdown';
import type { TreeModel } from './treeModel';
import type { Row } from './treeRows';

/**
 * Content and behavior of one kind of row. The model decides which rows exist, and below which
 * parent.
 */
export interface RowKind<Kind extends Row['kind']> {
  /** Is called for every visible row, so it must be fast. */
  readonly item: (row: RowOf<Kind>, model: TreeModel) => TreeItem;
  /** Is called when the pointer rests on the row. By default VS Code shows the label. */
  readonly tooltip?: (
    row: RowOf<Kind>,
    model: TreeModel,
    usage?: ProcessUsage,
  ) => MarkdownString | undefined;
  /** Command of Enter and a click. By default they open and close the row. */
  readonly command?: (row: RowOf<Kind>, model: TreeModel) => Command | undefined;
}

export type RowOf<Kind extends Row['kind']> = Extract<Row, { readonly kind: Kind }>;

/** Returns a label in which the words of the filter are highlighted. */
export function highlighted(label: string, words: readonly string[]): string | TreeItemLabel {
  const highlights = matchRanges(label, words);
  return highlights.length === 0 ? label : { label, highlights: [...highlights] };
}

const maxDescriptionChars = 2_000;
const maxLineChars = 300;

/**
 * Joins paragraphs of Markdown. Everything that is not a constant must have gone through
 * plainMarkdown().
 */
export function markdownTooltip(paragraphs: readonly string[]): MarkdownString {
  const tooltip = new MarkdownString(paragraphs.join('\n\n'), false);
  tooltip.isTrusted = false;
  tooltip.supportHtml = false;
  return tooltip;
}

export const foreignText = (foreign: string): string =>
  plainMarkdown(foreign, maxDescriptionChars, { newlines: 'keep' });
export const foreignLine = (foreign: string): string => plainMarkdown(foreign, maxLineChars);
export const boldLine = (foreign: string): string => `**${foreignLine(foreign)}**`;
export const lineList = (lines: readonly string[]): string =>
  lines.map((each) => `- ${foreignLine(each)}`).join('\n');

/**
 * Returns the icon that the server listed, as a line of Markdown. It is used in tooltips only: in
 * rows and pickers it could be mistaken for a risk icon.
 */
export function iconLines(icons: readonly Icon[] | undefined): readonly string[] {
  const isShown = vscode.workspace.getConfiguration(settings.section).get(settings.showIcons);
  if (icons === undefined || isShown !== true) return [];
  const icon = embeddedIcon(icons, themeOf());
  if (icon === undefined) return [];
  const text = l10n.t('Icon provided by the server, unrelated to the risk:');
  // We encode the Base64 ourselves, so it cannot end the image syntax.
  return [`${text} ![](${icon}|width=24,height=24)`];
}

function themeOf(): 'light' | 'dark' {
  const { kind } = vscode.window.activeColorTheme;
  const { Light, HighContrastLight } = vscode.ColorThemeKind;
  return kind === Light || kind === HighContrastLight ? 'light' : 'dark';
}
