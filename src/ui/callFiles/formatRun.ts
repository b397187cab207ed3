import * as vscode from 'vscode';
import type { FileCall } from '../../core/callFiles/callFile';
import { quoted } from '../format/sentences';
import type { RunState } from './callFileRuns';
import { failureSentence } from './formatCallFileProblem';

/** What a call of a file is called: by its own name, or by its tool. */
export function nameOfCall(call: FileCall): string {
  return quoted(call.name === '' ? call.tool : call.name);
}

/** That a call did not bring what was expected, and the first of what it did not. */
export function unmetSentence(
  call: FileCall,
  { failures }: Extract<RunState, { kind: 'unmet' }>,
): string {
  const [first] = failures;
  const why = first === undefined ? '' : failureSentence(first);
  return failures.length > 1
    ? vscode.l10n.t(
        '“{0}” did not pass: {1} (and {2} more)',
        nameOfCall(call),
        why,
        failures.length - 1,
      )
    : vscode.l10n.t('“{0}” did not pass: {1}', nameOfCall(call), why);
}

const maxNames = 10;

/** How a run of all calls ended. */
export interface RunEnd {
  /** In the order of the file; those that it did not get to have no state. */
  readonly calls: readonly FileCall[];
  readonly passed: number;
  /** Of the call that ended it; absent: the person left. */
  readonly state: RunState | undefined;
}

/** How far it got, why not further, and what was left. */
export function endSentence({ calls, passed, state }: RunEnd): string {
  const call = calls[passed];
  if (call === undefined) {
    return vscode.l10n.t('All {0} calls of the file passed.', calls.length);
  }
  const rest = calls.slice(passed + 1);
  const names = rest.slice(0, maxNames).map((one) => vscode.l10n.t('“{0}”', nameOfCall(one)));
  const left = rest.length > maxNames ? [...names, '…'] : names;
  const why =
    state?.kind === 'unmet'
      ? unmetSentence(call, state)
      : vscode.l10n.t('“{0}” ended the run: {1}.', nameOfCall(call), formatRunEnd(state));
  const sentence = vscode.l10n.t('{0} of {1} calls passed. {2}', passed, calls.length, why);
  if (rest.length === 0) return sentence;
  return vscode.l10n.t('{0} Not run: {1}.', sentence, left.join(', '));
}

function formatRunEnd(state: RunState | undefined): string {
  if (state === undefined || state.kind === 'unsent') return vscode.l10n.t('nothing was sent');
  return 'words' in state ? state.words : vscode.l10n.t('not called');
}
