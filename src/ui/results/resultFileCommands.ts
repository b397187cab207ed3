import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { blockJson } from '../../core/content/contentParts';
import { isSpooled } from '../../host/results/resultSpool';
import { commands } from '../../ids';
import { compareInAllowedEditor, viewerOfPart } from '../editor/allowedEditors';
import { notify, showStatus } from '../editor/messages';
import { formatSize } from '../format/formatFile';
import { formatTime } from '../format/formatTime';
import { quoted } from '../format/sentences';
import type { ResultSaving } from './resultSaving';
import { type ResultTarget, type ResultTargets, resultTitle } from './resultTargets';

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
  showStatus(sentence, 3_000);
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

/**
 * VS Code shows larger texts without colors, lenses and additions of extensions, and does not
 * compare them. In a browser it asks before it opens any larger file.
 */
export const maxSyncedBytes = 50 * 1024 * 1024;

/**
 * Asks which result to compare `left` with, and shows both side by side, the older one first. A
 * past call is selected in a list of calls, and is compared with the whole result.
 */
async function compareResults(targets: ResultTargets, left: ResultTarget): Promise<void> {
  const placeHolder = l10n.t('Compare “{0}” with…', left.file.name);
  const { callId } = left.kept;
  const pastCall = {
    label: l10n.t('A past call…'),
    iconPath: new vscode.ThemeIcon('history'),
    description: l10n.t('both complete results, as JSON'),
  };
  const right = await targets.pickOther(
    placeHolder,
    left,
    callId === undefined ? undefined : pastCall,
  );
  if (right === undefined) return;
  if ('file' in right) await showComparison(targets, left, right);
  else await vscode.commands.executeCommand(commands.compareResults, { callId });
}

async function showComparison(
  targets: ResultTargets,
  one: ResultTarget,
  other: ResultTarget,
): Promise<void> {
  const [left, right] = targets.olderFirst(one, other);
  const beginnings = [left, right].map(beginningUri);
  // The editor does not compare larger texts.
  const isTooLarge = [left, right].some(({ file }) => file.size > maxSyncedBytes);
  const [first = left.uri, second = right.uri] = isTooLarge ? beginnings : [];
  const title = l10n.t('{0} ↔ {1}', labelOf(left), labelOf(right));
  const viewers = [left, right].map(({ part }) => viewerOfPart(part));
  await compareInAllowedEditor([first, second], title, viewers);
  if (!isTooLarge || left.part?.excerpt === undefined) return;
  notify(
    'information',
    l10n.t('VS Code cannot compare texts above 50 MB, so only their beginnings are compared.'),
  );
}

function beginningUri({ part, uri }: ResultTarget): vscode.Uri {
  if (part === undefined || !isSpooled(part) || part.beginning === undefined) return uri;
  return vscode.Uri.joinPath(uri, '..', part.beginning.name);
}

function labelOf({ kept, file }: ResultTarget): string {
  return l10n.t('{0} ({1}, {2})', file.name, resultTitle(kept), formatTime(kept.entry.createdAt));
}
