import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../../ids';
import { compareResults } from './resultComparing';
import type { ResultSaving } from './resultSaving';
import type { ResultTarget, ResultTargets } from './resultTargets';
import { blockJson } from '../../core/content/wireResult';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { formatSize } from '../format/formatFile';

/** Command ids for one file of a result, in lenses, menus and the palette. */
export interface ResultFileCommands {
  readonly openFull: string;
  readonly saveAs: string;
  readonly saveAll: string;
  readonly compare: string;
  readonly copy: string;
  readonly filter: string;
}

export const resultFileCommands: ResultFileCommands = {
  openFull: commands.openFullResult,
  saveAs: commands.saveResult,
  saveAll: commands.saveAllOfResult,
  compare: commands.compareResultFiles,
  copy: commands.copyResult,
  filter: commands.filterResult,
};

interface ResultFileCommandsOptions {
  readonly targets: ResultTargets;
  readonly saving: ResultSaving;
  readonly commands: ResultFileCommands;
  readonly openFull: (target: ResultTarget) => Promise<void>;
}

/**
 * Registers save, compare and copy. Each works on the file it is invoked on, else on the active
 * one, else it asks.
 */
export function registerResultFileCommands(options: ResultFileCommandsOptions): vscode.Disposable {
  const { targets, saving, commands: ids, openFull } = options;
  const on = (
    command: string,
    question: string,
    run: (target: ResultTarget) => Promise<void>,
  ): vscode.Disposable =>
    vscode.commands.registerCommand(command, async (pressedOn: unknown) => {
      const target = targets.find(pressedOn) ?? (await targets.pick(question));
      if (target !== undefined) await run(target);
    });
  return vscode.Disposable.from(
    on(ids.openFull, l10n.t('Choose the text to open in full'), openFull),
    on(ids.saveAs, l10n.t('Choose the file to save'), (target) => saving.saveAs(target)),
    on(ids.saveAll, l10n.t('Choose the result whose files to save'), (to) => saving.saveAll(to)),
    on(ids.compare, l10n.t('Choose the file to compare'), (to) => compareResults(targets, to)),
    on(ids.copy, l10n.t('Choose the file to copy'), (to) => copyResult(to, ids.saveAs)),
  );
}

/** A clipboard with more content slows down every program that reads it. */
const maxCopiedBytes = 16 * 1024 * 1024;

interface CopyItem extends vscode.QuickPickItem {
  readonly text: () => Promise<string | undefined>;
}

/** Asks for the format, and copies one file of a result. */
async function copyResult(target: ResultTarget, saveAs: string): Promise<void> {
  const { file, part, uri } = target;
  if (file.size > maxCopiedBytes) {
    notify(
      'warning',
      l10n.t(
        '“{0}” is {1}, too large for the clipboard. Save it instead.',
        quoted(file.name),
        formatSize(file.size),
      ),
      { title: l10n.t('Save As…'), command: saveAs, arguments: [uri] },
    );
    return;
  }
  const placeHolder = l10n.t('Copy “{0}” as', quoted(file.name));
  const picked = await vscode.window.showQuickPick(itemsOf(target), { placeHolder });
  const text = await picked?.text();
  if (text === undefined) return;
  await vscode.env.clipboard.writeText(text);
  const isText = part === undefined || part.excerpt !== undefined;
  const sentence = isText ? l10n.t('Characters copied: {0}.', text.length) : l10n.t('Copied');
  vscode.window.setStatusBarMessage(sentence, 3_000);
}

function itemsOf({ file, part, uri }: ResultTarget): CopyItem[] {
  const isText = part === undefined || part.excerpt !== undefined;
  const text = async () => Buffer.from(await file.read()).toString('utf8');
  const json = async () => part && blockJson(part, await file.read());
  return [
    ...(isText ? [{ label: l10n.t('Text'), text }] : []),
    ...(part === undefined
      ? []
      : [
          {
            label: l10n.t('JSON'),
            description: l10n.t('content as in MCP'),
            text: json,
          },
        ]),
    {
      label: l10n.t('URI'),
      description: l10n.t('opens the result again in this window'),
      text: async () => uri.toString(),
    },
    ...(part?.uri === undefined
      ? []
      : [
          {
            label: l10n.t('URI of the Resource'),
            description: quoted(part.uri),
            text: async () => part.uri,
          },
        ]),
  ];
}
