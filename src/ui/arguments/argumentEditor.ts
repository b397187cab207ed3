import * as l10n from '@vscode/l10n';
import { getLocation, visit, type JSONPath } from 'jsonc-parser';
import * as vscode from 'vscode';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { planFields } from '../../core/arguments/inputFields';
import type { ToolEntry } from '../../host/connections/snapshot';
import { commands } from '../../ids';
import { lensAtLine } from '../editor/textPlaces';
import { formatRisk } from '../format/formatRisk';
import { toolTitle } from '../format/toolTitle';
import { labelText } from '../format/labelText';

/**
 * A value that can be typed over: the text between the quotes of a string, or the whole of another
 * value.
 */
interface TypedValue {
  readonly property: JSONPath[number] | undefined;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the value that is most likely typed over: an empty text, else the value of `property`, else the
 * first value.
 */
export function likelyValue(
  document: vscode.TextDocument,
  property?: string,
): vscode.Selection | undefined {
  const values = typedValues(document.getText());
  const likely =
    values.find(({ start, end }) => start === end) ??
    values.find((value) => value.property === property) ??
    values[0];
  return likely && selectionOf(document, likely);
}

/** Selects the next value behind the cursor, or before it; from the last one the first. */
export function selectNextValue(editor: vscode.TextEditor, step: 1 | -1): void {
  const { document, selection } = editor;
  const values = typedValues(document.getText());
  const [from, to] = [document.offsetAt(selection.start), document.offsetAt(selection.end)];
  const next =
    step === 1
      ? (values.find(({ start, end }) => start > to || (start === to && end > to)) ?? values[0])
      : (values.findLast(({ end }) => end < from) ?? values.at(-1));
  select(editor, next);
}

function typedValues(text: string): readonly TypedValue[] {
  const values: TypedValue[] = [];
  visit(text, {
    onLiteralValue: (value, offset, length, _line, _character, pathSupplier) => {
      const quote = typeof value === 'string' ? 1 : 0;
      const [property] = pathSupplier();
      values.push({ property, start: offset + quote, end: offset + length - quote });
    },
  });
  return values;
}

function select(editor: vscode.TextEditor, value: TypedValue | undefined): void {
  if (value === undefined) return;
  editor.selection = selectionOf(editor.document, value);
  editor.revealRange(editor.selection);
}

function selectionOf(document: vscode.TextDocument, { start, end }: TypedValue): vscode.Selection {
  return new vscode.Selection(document.positionAt(start), document.positionAt(end));
}

/** Says that nothing was sent, and shows the first problem. */
export async function notifyProblems(
  document: vscode.TextDocument,
  problems: readonly vscode.Diagnostic[],
): Promise<void> {
  const [first] = problems;
  if (first === undefined) return;
  const { start } = first.range;
  const selection = new vscode.Range(start, start);
  await vscode.window.showTextDocument(document, { preview: false, selection });
  const { path } = getLocation(document.getText(), document.offsetAt(start));
  const message =
    path.length === 0 ? first.message : l10n.t('{0}: {1}', path.join('.'), first.message);
  const sentence =
    problems.length === 1
      ? l10n.t('Not sent. {0}', quoted(message))
      : l10n.t('Not sent: {0} problems. The first: {1}', problems.length, quoted(message));
  notify('warning', sentence);
}

/** Facts that the code lenses of an arguments document show. */
interface LensFacts {
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
  const lens = (title: string, command: string) => lensAtLine(0, title, command, uri);
  const name = entry === undefined ? toolName : toolTitle(entry.tool);
  const run = l10n.t(
    '$(play) Run “{0}” on “{1}”',
    labelText(name, maxTitleChars),
    labelText(serverLabel, maxTitleChars),
  );
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
