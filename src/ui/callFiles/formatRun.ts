import * as l10n from '@vscode/l10n';
import { calledName, type FileCall } from '../../core/callFiles/callFile';
import { quoted } from '../format/sentences';
import type { RunState } from './callFileRuns';
import { failureSentence } from './formatCallFileProblem';

/** What a call of a file is called: by its own name, or by what it calls. */
export function nameOfCall(call: FileCall): string {
  return quoted(calledName(call));
}

/** That a call did not bring what was expected, and the first of what it did not. */
export function unmetSentence(
  call: FileCall,
  { failures }: Extract<RunState, { kind: 'unmet' }>,
): string {
  const [first] = failures;
  const why = first === undefined ? '' : failureSentence(first);
  return failures.length > 1
    ? l10n.t('“{0}” did not pass: {1} (and {2} more)', nameOfCall(call), why, failures.length - 1)
    : l10n.t('“{0}” did not pass: {1}', nameOfCall(call), why);
}

const maxNames = 10;

/** How a run of all calls ended. */
export interface RunEnd {
  /** In the order in which they run. */
  readonly calls: readonly FileCall[];
  /** How they went, by their numbers; `undefined`: it was not run, or the person left. */
  readonly states: readonly (RunState | undefined)[];
  /** The number of the first that did not pass. */
  readonly ended?: number;
  /** Those that it did not get to. */
  readonly left: readonly FileCall[];
}

export function passedOf({ states }: RunEnd): number {
  return states.filter((state) => state?.kind === 'passed').length;
}

/** How far it got, why not further, and what was left. */
export function endSentence(end: RunEnd): string {
  const { calls, states, ended, left: rest } = end;
  const call = ended === undefined ? undefined : calls[ended];
  if (ended === undefined || call === undefined) {
    return l10n.t('All calls in the file passed: {0}.', calls.length);
  }
  const [passed, state] = [passedOf(end), states[ended]];
  const names = rest.slice(0, maxNames).map((one) => l10n.t('“{0}”', nameOfCall(one)));
  const left = rest.length > maxNames ? [...names, '…'] : names;
  const why =
    state?.kind === 'unmet'
      ? unmetSentence(call, state)
      : l10n.t('“{0}” ended the run: {1}.', nameOfCall(call), formatRunEnd(state));
  const sentence = l10n.t('{0} of {1} calls passed. {2}', passed, calls.length, why);
  if (rest.length === 0) return sentence;
  return l10n.t('{0} Not run: {1}.', sentence, left.join(', '));
}

function formatRunEnd(state: RunState | undefined): string {
  if (state === undefined || state.kind === 'unsent') return l10n.t('nothing was sent');
  return 'words' in state ? state.words : l10n.t('not called');
}
