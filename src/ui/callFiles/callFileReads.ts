import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { CallFile, FileCall } from '../../core/callFiles/callFile';
import type { FilledCall } from '../../core/callFiles/callVariables';
import { assertNever } from '../../core/errors';
import { promptTexts, readTarget, type ReadOutcome } from '../../host/callFiles/fileCalls';
import type { CallOutcome } from '../../host/calls/call';
import type { ServerRegistry } from '../../host/connections/registry';
import type { PromptReads } from '../../host/prompts/promptReads';
import type { CallFileValues, RunValues } from './callFileValues';

interface ReadingOptions {
  readonly registry: Pick<ServerRegistry, 'client'>;
  readonly prompts: Pick<PromptReads, 'call'>;
  /** Only expectations may use inputs, for which these may ask. */
  readonly values: Pick<CallFileValues, 'fill' | 'fileValuesOf'>;
}

/** The outcome of reading with the filled-in call, or the reason why nothing was read. */
type FinishedRead =
  | {
      readonly outcome: ReadOutcome;
      readonly filled: Extract<FilledCall, { readonly kind: 'filled' }>;
    }
  | Exclude<FilledCall, { readonly kind: 'filled' }>;

/**
 * Reads the resource or the prompt of a call. A prompt becomes a past call. Does not ask for
 * approval, as in the tree. Never rejects.
 */
export async function readForFile(
  { registry, prompts, values }: ReadingOptions,
  { uri, file, call, run }: { uri: vscode.Uri; file: CallFile; call: FileCall; run: RunValues },
  token: vscode.CancellationToken,
): Promise<FinishedRead> {
  const refusal = readRefusal(values, { uri, file, call, run });
  if (refusal !== undefined) return { kind: 'problem', pointer: '', sentence: refusal.sentence };
  const filled = await values.fill(uri, file, call, run);
  if (filled.kind !== 'filled') return filled;
  const { target, value, secrets } = filled;
  const { server, timeoutMs } = call;
  if (target.kind === 'prompt') {
    const request = {
      server,
      tool: target.name,
      origin: 'file',
      secrets,
      ...(value && { arguments: promptTexts(value) }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    } as const;
    return { filled, outcome: toReadOutcome(await prompts.call(request, { token })) };
  }
  const read = { target, value, server, timeoutMs, origin: 'file' } as const;
  const clientOf = () => registry.client(server);
  return { filled, outcome: await readTarget({ clientOf }, read, token) };
}

function toReadOutcome(outcome: CallOutcome): ReadOutcome {
  const { durationMs } = outcome;
  switch (outcome.kind) {
    case 'result':
    case 'toolError':
      return { kind: 'answered', answer: { result: outcome.result, annotations: {}, durationMs } };
    case 'failed':
      return outcome;
    case 'cancelled':
    case 'denied':
      return { kind: 'cancelled', durationMs };
    default:
      return assertNever(outcome);
  }
}

/**
 * Reading has no approval, so a call is refused if it takes values that approval would be needed
 * for.
 */
export function readRefusal(
  values: Pick<CallFileValues, 'fileValuesOf'>,
  { uri, file, call, run }: { uri: vscode.Uri; file: CallFile; call: FileCall; run: RunValues },
): { readonly kind: 'unsent'; readonly sentence: string } | undefined {
  if (values.fileValuesOf(uri, file, call, run).length === 0) return undefined;
  const sentence = l10n.t('Resources and prompts are read only if all values are in the file.');
  return { kind: 'unsent', sentence };
}
