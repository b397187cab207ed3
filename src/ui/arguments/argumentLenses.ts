import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { planFields } from '../../core/arguments/inputFields';
import { visibleText, withoutIcons } from '../../core/visibleText';
import type { ToolEntry } from '../../host/connections/snapshot';
import { commands } from '../../ids';
import { codeLens } from '../editor/codeLens';
import { formatRisk } from '../format/formatRisk';
import { toolTitle } from '../format/toolTitle';

/** Facts that the code lenses of an arguments document show. */
export interface LensFacts {
  readonly uri: vscode.Uri;
  readonly toolName: string;
  readonly serverLabel: string;
  /** The current tool. Absent if it no longer exists. */
  readonly entry: ToolEntry | undefined;
  /** True if a caller waits for the arguments instead of a call. */
  readonly isAnswer: boolean;
}

const maxTitleChars = 60;

/**
 * Returns Run, Cancel, the way back to steps if the schema allows it, and the risk, on the first
 * line.
 */
export function argumentLenses({ uri, toolName, serverLabel, entry, isAnswer }: LensFacts) {
  const top = new vscode.Range(0, 0, 0, 0);
  const lens = (title: string, command: string) =>
    codeLens(top, { title, command, arguments: [uri] });
  const name = entry === undefined ? toolName : toolTitle(entry.tool);
  const run = l10n.t('$(play) Run “{0}” on “{1}”', lensText(name), lensText(serverLabel));
  const steps = l10n.t('$(list-ordered) Enter as Fields');
  const hasSteps =
    !isAnswer && entry !== undefined && planFields(entry.tool.inputSchema).kind === 'fields';
  return [
    lens(isAnswer ? l10n.t('$(check) Use These Arguments') : run, commands.runArguments),
    lens(l10n.t('$(close) Cancel'), commands.cancelArguments),
    ...(hasSteps ? [lens(steps, commands.enterStepByStep)] : []),
    ...(entry === undefined ? [] : [lens(formatRisk(entry.risk), '')]),
  ];
}

function lensText(text: string): string {
  return withoutIcons(visibleText(text, maxTitleChars));
}
