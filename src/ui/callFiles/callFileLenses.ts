import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { OutlinedCall } from '../../core/callFiles/runbook';
import { assertNever } from '../../core/errors';
import { visibleText, escapeIcons } from '../../core/visibleText';
import { commands, internalCommands } from '../../ids';
import { codeLens, rangeOf } from '../editor/textPlaces';
import { markOwnArgument } from '../editor/ownArguments';
import { isCallFile, isRunbook, readDocument } from './callFileDocuments';
import type { CallFileRuns, RunState } from './callFileRuns';
import type { Environments } from './environments';
import { failureSentence } from './formatCallFileProblem';
import { formatDuration } from '../format/formatTime';

const maxOutcomeChars = 80;

/**
 * Run, Copy As… and the last result above each call; Run All and the environment above the file.
 */
export class CallFileLenses {
  readonly #runs: CallFileRuns;
  readonly #environments: Pick<Environments, 'titleFor'>;

  constructor(runs: CallFileRuns, environments: Pick<Environments, 'titleFor'>) {
    this.#runs = runs;
    this.#environments = environments;
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    // Most Markdown files contain no calls.
    if (!isCallFile(document) && !isRunbook(document)) return [];
    const { outline } = readDocument(document);
    const ofCalls = outline.calls.flatMap((call) => this.#ofCall(document, call));
    return [...this.#ofFile(document, outline.isMany && outline.calls.length > 0), ...ofCalls];
  }

  #ofFile(document: vscode.TextDocument, isMany: boolean): vscode.CodeLens[] {
    const { file, blocks } = readDocument(document);
    const { uri } = document;
    const top = lineOf(document, blocks[0]?.offset ?? 0);
    const lens = (title: string, command: string) =>
      codeLens(top, { title, command, arguments: [uri] });
    const hasInputs = (file?.inputs.size ?? 0) > 0;
    const environment = file === undefined ? undefined : this.#environments.titleFor(file);
    return [
      ...(isMany ? [lens(l10n.t('$(run-all) Run All'), commands.runCallFile)] : []),
      ...(environment === undefined ? [] : [lens(environment, commands.selectEnvironment)]),
      ...(hasInputs ? [lens(l10n.t('Clear Inputs'), internalCommands.forgetInputs)] : []),
    ];
  }

  #ofCall(document: vscode.TextDocument, { name, whole }: OutlinedCall): vscode.CodeLens[] {
    const { uri } = document;
    const range = lineOf(document, whole.offset);
    const lens = (title: string, command: string, ...given: readonly unknown[]) =>
      codeLens(range, { title, command, arguments: [...given] });
    const call = readDocument(document).file?.calls.find((one) => one.name === name);
    const state = call === undefined ? undefined : this.#runs.stateOf(uri, call);
    const outcome = (ended: RunState): vscode.CodeLens => {
      const { callId } = 'callId' in ended ? ended : {};
      // Clicking the lens opens the result.
      return callId === undefined
        ? lens(formatRunState(ended), '')
        : lens(formatRunState(ended), commands.openCallResult, markOwnArgument({ callId }));
    };
    // An answer that passed the comparison with a whole expected answer needs no update.
    const isExpected = call?.expect.answer !== undefined;
    const expecting = (ended: RunState): vscode.CodeLens[] => {
      const { callId } = 'callId' in ended ? ended : {};
      if (callId === undefined || (ended.kind === 'passed' && isExpected)) return [];
      // Expected answers can only be written into call files.
      if (!isCallFile(document)) return [];
      const title = l10n.t('Expect This Result');
      return [lens(title, commands.expectAnswer, markOwnArgument({ callId }))];
    };
    return [
      lens(l10n.t('$(play) Run'), commands.runFileCall, uri, name),
      ...(state === undefined ? [] : [outcome(state)]),
      lens(l10n.t('Copy As…'), commands.copyCallAs, uri, name),
      ...(state === undefined ? [] : expecting(state)),
    ];
  }
}

/** Returns the range of a lens above the line at this offset. */
function lineOf(document: vscode.TextDocument, offset: number): vscode.Range {
  return rangeOf(document, { offset, length: 0 });
}

function formatRunState(state: RunState): string {
  switch (state.kind) {
    case 'running':
      return l10n.t('$(sync~spin) running');
    case 'passed':
      return l10n.t('✓ {0}', formatDuration(state.durationMs));
    case 'unmet': {
      const [first] = state.failures;
      return lensText(`✗ ${first === undefined ? '' : failureSentence(first)}`);
    }
    case 'skipped':
      return lensText(`⊘ ${state.message}`);
    case 'failed':
      return lensText(`✗ ${state.message}`);
    case 'unsent':
      return lensText(`✗ ${l10n.t('nothing was sent: {0}', state.message)}`);
    default:
      return assertNever(state);
  }
}

function lensText(text: string): string {
  return escapeIcons(visibleText(text, maxOutcomeChars));
}
