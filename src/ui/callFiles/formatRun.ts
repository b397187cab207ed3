import * as l10n from '@vscode/l10n';
import { calledName, type FileCall } from '../../core/callFiles/callFile';
import { quoted } from '../format/sentences';
import type { RunState } from './callFileRuns';
import { failureSentence } from './formatCallFileProblem';

/** Returns the name of a call, or of its target if it has no name. */
export function quotedCallName(call: FileCall): string {
  return quoted(calledName(call));
}

/** Formats the first of the failed expectations of a call as a sentence. */
export function unmetSentence(
  call: FileCall,
  { failures }: Extract<RunState, { kind: 'unmet' }>,
): string {
  const [first] = failures;
  const why = first === undefined ? '' : failureSentence(first);
  return failures.length > 1
    ? l10n.t(
        '“{0}” did not pass: {1} (and {2} more)',
        quotedCallName(call),
        why,
        failures.length - 1,
      )
    : l10n.t('“{0}” did not pass: {1}', quotedCallName(call), why);
}

const maxNames = 10;

/** Result of running all calls of a file. */
export interface RunEnd {
  /** Calls in the order in which they run. */
  readonly calls: readonly FileCall[];
  /** States by index; `undefined` if the call was not run or the user cancelled. */
  readonly states: readonly (RunState | undefined)[];
  /** Index of the first call that did not pass. */
  readonly ended?: number;
  /** Calls that were not reached. */
  readonly left: readonly FileCall[];
}

export function passedCount({ states }: RunEnd): number {
  return states.filter((state) => state?.kind === 'passed').length;
}

/** Formats how far the run got, why it stopped, and which calls were left. */
export function endSentence(end: RunEnd): string {
  const { calls, states, ended, left: rest } = end;
  const call = ended === undefined ? undefined : calls[ended];
  if (ended === undefined || call === undefined) {
    return l10n.t('All calls in the file passed: {0}.', calls.length);
  }
  const [passed, state] = [passedCount(end), states[ended]];
  const names = rest.slice(0, maxNames).map((one) => l10n.t('“{0}”', quotedCallName(one)));
  const left = rest.length > maxNames ? [...names, '…'] : names;
  const why =
    state?.kind === 'unmet'
      ? unmetSentence(call, state)
      : l10n.t('“{0}” ended the run: {1}.', quotedCallName(call), formatRunEnd(state));
  const sentence = l10n.t('{0} of {1} calls passed. {2}', passed, calls.length, why);
  if (rest.length === 0) return sentence;
  return l10n.t('{0} Not run: {1}.', sentence, left.join(', '));
}

function formatRunEnd(state: RunState | undefined): string {
  if (state === undefined || state.kind === 'unsent') return l10n.t('nothing was sent');
  return 'message' in state ? state.message : l10n.t('not called');
}
