import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../../ids';
import { compareResults } from './resultComparing';
import { copyResult } from './resultCopying';
import type { ResultSaving } from './resultSaving';
import type { ResultTarget, ResultTargets } from './resultTargets';

/** Command ids for one file of a result, in lenses, menus and the palette. */
export interface ResultFileCommands {
  readonly openFull: string;
  readonly saveAs: string;
  readonly saveAll: string;
  readonly compare: string;
  readonly copy: string;
}

export const resultFileCommands: ResultFileCommands = {
  openFull: commands.openFullResult,
  saveAs: commands.saveResult,
  saveAll: commands.saveAllOfResult,
  compare: commands.compareResultFiles,
  copy: commands.copyResult,
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
