import * as l10n from '@vscode/l10n';
import { ThemeIcon, TreeItem } from 'vscode';
import { commands, contextValues } from '../../ids';
import { quoted } from '../format/sentences';
import { resourceTitle, promptArguments } from '../format/formatResource';
import type { TreeModel } from './treeModel';
import { type ServerPromptRow } from './treeRows';
import {
  highlighted,
  type RowKind,
  boldLine,
  foreignLine,
  foreignText,
  lineList,
  markdownTooltip,
} from './rowKind';

/** Longer lists are not read in a tooltip. */
const maxArguments = 20;

/** The prompt is not read until the user presses Enter. */
export const promptRow: RowKind<'prompt'> = {
  item: promptItem,
  tooltip: (row, { listed }) => {
    const prompt = listed.prompt(row);
    if (prompt === undefined) return undefined;
    const { name, title = name, description = '', arguments: all } = prompt;
    const shown = promptArguments(prompt).slice(0, maxArguments);
    const lines = shown.map(({ name: argument, description: about = '', isRequired }) => {
      const label = isRequired ? argument : l10n.t('{0} (optional)', argument);
      return about === '' ? label : l10n.t('{0}: {1}', label, about);
    });
    return markdownTooltip([
      boldLine(title),
      ...(description === '' ? [] : [foreignText(description)]),
      ...(title === name ? [] : [foreignLine(l10n.t('Name: {0}', name))]),
      ...(lines.length === 0
        ? []
        : [lineList(all.length > lines.length ? [...lines, '…'] : lines)]),
    ]);
  },
  command: (row) => ({
    title: l10n.t('Open Prompt…'),
    command: commands.openPrompt,
    arguments: [row],
  }),
};

function promptItem(row: ServerPromptRow, { listed, words }: TreeModel): TreeItem {
  const prompt = listed.prompt(row);
  if (prompt === undefined) return new TreeItem(quoted(row.promptName));
  const title = resourceTitle(prompt);
  const needs = promptArguments(prompt);
  const label = needs.length === 0 ? title : l10n.t('{0}…', title);
  const item = new TreeItem(highlighted(label, words));
  item.description = quoted(prompt.description);
  item.iconPath = new ThemeIcon('comment');
  item.contextValue = contextValues.prompt;
  item.accessibilityInformation = {
    label:
      item.description === ''
        ? l10n.t('Prompt {0}', label)
        : l10n.t('Prompt {0}: {1}', label, item.description),
  };
  return item;
}
