import type * as vscode from 'vscode';
import { isToolCall, type CallFile, type FileCall } from '../../core/callFiles/callFile';
import { toMcpError } from '../../core/errors';
import { answersUsedBy } from '../../core/testing/runTests';
import { toolProblems } from '../../core/toolProblems';
import { fileRequest } from '../../host/callFiles/fileCalls';
import type { CallQuestion } from '../../host/calls/call';
import type { Gate } from '../../host/calls/gate';
import type { ServerRegistry } from '../../host/connections/registry';
import type { CallOrigin } from '../../host/consent/facts/callFacts';
import { errorSentence } from '../format/sentences';
import { readRefusal } from './callFileReads';
import type { CallFileValues, RunValues } from './callFileValues';

/** Facts about a call of a file before anything is run. */
export type CallPreview = { readonly call: FileCall } & (
  | {
      readonly kind: 'asked';
      readonly question: CallQuestion;
      /** Reason why the call cannot be approved together with others. */
      readonly alone?: 'changed' | 'hidden' | 'long' | 'destructive';
    }
  | { readonly kind: 'allowed' | 'denied'; readonly question: CallQuestion }
  /** A resource or a prompt, which needs no approval. */
  | { readonly kind: 'read' }
  /** Its arguments use the answers of these calls. */
  | { readonly kind: 'later'; readonly names: readonly string[] }
  | { readonly kind: 'unsent'; readonly sentence: string }
);

export interface PreviewOptions {
  readonly registry: Pick<ServerRegistry, 'find'>;
  readonly gate: Pick<Gate, 'preview'>;
  readonly values: Pick<CallFileValues, 'fill' | 'fileValuesOf' | 'prepare'>;
}

/** Longer arguments are shown in a review of their own. */
const maxListedChars = 10_000;

/**
 * Previews all calls of the file in order, with the values that `run` sends; `undefined` if the
 * user cancelled an input.
 */
export async function previewCalls(
  options: PreviewOptions,
  uri: vscode.Uri,
  file: CallFile,
  origin: CallOrigin,
  run: RunValues,
): Promise<readonly CallPreview[] | undefined> {
  const previewed: CallPreview[] = [];
  const first = file.calls.filter((call) => isToolCall(call) && answersUsedBy(call).length === 0);
  if (!(await options.values.prepare(uri, file, first, run))) return undefined;
  for (const call of file.calls) {
    if (!isToolCall(call)) {
      const refusal = readRefusal(options.values, { uri, file, call, run });
      previewed.push({ call, ...(refusal ?? { kind: 'read' }) });
      continue;
    }
    const names = answersUsedBy(call);
    if (names.length > 0) {
      previewed.push({ call, kind: 'later', names });
      continue;
    }
    const filled = await options.values.fill(uri, file, call, run);
    if (filled.kind === 'cancelled') return undefined;
    if (filled.kind === 'problem') {
      previewed.push({ call, kind: 'unsent', sentence: filled.sentence });
      continue;
    }
    try {
      const question = await options.gate.preview(fileRequest(call, origin, filled));
      previewed.push(ofQuestion(call, question));
    } catch (error) {
      const { server } = call;
      const label = options.registry.find(server)?.config.label ?? server;
      const sentence = errorSentence(label, toMcpError(error));
      previewed.push({ call, kind: 'unsent', sentence });
    }
  }
  return previewed;
}

/**
 * Returns the waiting calls of agents; destructive ones are never approved together with others.
 */
export function callsOfAgents(questions: readonly CallQuestion[]): readonly CallPreview[] {
  return questions.map((question) => {
    const { config, entry, client = '?' } = question;
    const { name: tool } = entry.tool;
    const call = {
      name: client,
      pointer: '',
      server: config.id,
      target: { kind: 'tool' as const, name: tool },
      expect: { places: [], ignored: [] },
    };
    return entry.risk.level === 'destructive'
      ? { call, kind: 'asked', question, alone: 'destructive' }
      : ofQuestion(call, question);
  });
}

function ofQuestion(call: FileCall, question: CallQuestion): CallPreview {
  const { decision } = question;
  if (decision.effect !== 'ask') {
    return { call, kind: decision.effect === 'deny' ? 'denied' : 'allowed', question };
  }
  const alone = whyAlone(question);
  return { call, kind: 'asked', question, ...(alone === undefined ? {} : { alone }) };
}

/** Returns why the call needs more attention than a line in a list. */
function whyAlone({ entry, decision, argumentsJson }: CallQuestion) {
  const { pin, cause, suspended } = decision;
  const isAsEver = pin.kind === 'known' && cause.kind !== 'unreadable' && suspended.length === 0;
  if (!isAsEver) return 'changed';
  if (toolProblems(entry.tool).some(({ code }) => code === 'hiddenCharacters')) return 'hidden';
  return argumentsJson.length > maxListedChars ? 'long' : undefined;
}
