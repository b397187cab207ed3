import type { CancellationToken } from 'vscode-jsonrpc/node';
import { toInsertedText } from '../../core/callFiles/callFileVariables';
import { type Answer, protocolErrorOf } from '../../core/callFiles/expectations';
import type { FilledCall } from '../../core/callFiles/callVariables';
import type { McpClient, PromptArguments, RequestOptions } from '../../core/client';
import { assertNever, isMcpError, toMcpError, type McpError } from '../../core/errors';
import type { JsonObject } from '../../core/json/jsonValue';
import type { ContentBlock, ToolResult } from '../../core/types';
import type { ToolFileCall } from '../../core/callFiles/callFile';
import { QuestionAnswers } from '../../core/callFiles/questionAnswers';
import type { AttemptedCall } from '../../core/testing/runTests';
import { toAnswer, type CallOutcome, type CallRequest } from '../calls/call';
import type { CallRecorder } from '../journal/callRecorder';
import type { CallOrigin } from '../consent/facts/callFacts';

/** A resource or a prompt that a call in a file reads, with its values. */
export interface FileRead extends Pick<
  Extract<FilledCall, { kind: 'filled' }>,
  'target' | 'value'
> {
  readonly server: string;
  readonly origin: CallOrigin;
  readonly timeoutMs?: number | undefined;
  /** Further members of `_meta` of the request. */
  readonly meta?: JsonObject | undefined;
}

export interface ReadingWith {
  /** May throw. */
  readonly clientOf: () => Pick<McpClient, 'readResource' | 'getPrompt'>;
  /** Records prompts. Absent: nothing is recorded. */
  readonly recorder?: Pick<CallRecorder, 'read'> | undefined;
}

/** The outcome of reading. */
export type ReadOutcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'cancelled'; readonly durationMs: number }
  | { readonly kind: 'failed'; readonly error: McpError; readonly durationMs: number };

/**
 * Reads a resource or a prompt and returns it in the form of a tool result: the contents of a
 * resource as embedded resources, the messages of a prompt as content. The user is not asked, as
 * when a resource is opened in the tree. Never rejects.
 */
export async function readTarget(
  { clientOf, recorder }: ReadingWith,
  read: FileRead,
  token: CancellationToken,
): Promise<ReadOutcome> {
  const outcome = await outcomeOf(clientOf, read, token);
  const { target, server, origin, value } = read;
  if (target.kind !== 'prompt') return outcome;
  const request = { server, tool: target.name, origin, ...(value && { arguments: value }) };
  const { durationMs } = outcome.kind === 'answered' ? outcome.answer : outcome;
  const end = outcome.kind === 'answered' ? ({ kind: 'result', durationMs } as const) : outcome;
  await recorder?.read(request, end);
  return outcome;
}

async function outcomeOf(
  clientOf: ReadingWith['clientOf'],
  read: FileRead,
  token: CancellationToken,
): Promise<ReadOutcome> {
  const startedAt = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedAt);
  const { timeoutMs, meta } = read;
  try {
    const options = {
      token,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(meta === undefined ? {} : { meta }),
    };
    const result = await resultOf(clientOf(), read, options);
    return { kind: 'answered', answer: { result, annotations: {}, durationMs: durationMs() } };
  } catch (thrown) {
    if (isMcpError(thrown, 'cancelled')) return { kind: 'cancelled', durationMs: durationMs() };
    return { kind: 'failed', error: toMcpError(thrown), durationMs: durationMs() };
  }
}

async function resultOf(
  client: Pick<McpClient, 'readResource' | 'getPrompt'>,
  { target: { kind, name }, value }: FileRead,
  options: RequestOptions,
): Promise<ToolResult> {
  if (kind === 'prompt') return client.getPrompt(name, value && promptTexts(value), options);
  // A cached resource does not count as an answer.
  const read = await client.readResource(name, { ...options, isRefresh: true });
  const { contents, ...others } = read;
  const content = contents.map((resource): ContentBlock => ({ type: 'resource', resource }));
  return { content, isError: false, ...others };
}

/**
 * Returns the arguments of a prompt. A text that consists of one variable has the type of its value,
 * but prompts take strings only.
 */
export function promptTexts(value: NonNullable<FileRead['value']>): PromptArguments {
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => [name, toInsertedText(text)]),
  );
}

/** Returns the request for a call in a file, with its values. Absent values stay absent. */
export function fileRequest(
  { server, target, timeoutMs, isSentAsIs }: ToolFileCall,
  origin: CallOrigin,
  { value, answers, fileValues, secrets }: Extract<FilledCall, { kind: 'filled' }>,
): CallRequest {
  return {
    server,
    tool: target.name,
    origin,
    fileValues,
    secrets,
    ...(answers === undefined ? {} : { answers: new QuestionAnswers(answers) }),
    ...(isSentAsIs === undefined ? {} : { isSentAsIs }),
    ...(value === undefined ? {} : { arguments: value }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

/** Returns the outcome in the form that is judged; `message` says why there is no answer. */
export function toAttempt(outcome: CallOutcome | ReadOutcome, message: string): AttemptedCall {
  const callId = 'callId' in outcome ? outcome.callId : undefined;
  const known = callId === undefined ? {} : { callId };
  switch (outcome.kind) {
    case 'answered':
      return outcome;
    case 'result':
    case 'toolError':
      return { kind: 'answered', answer: toAnswer(outcome), ...known };
    case 'denied':
    case 'cancelled':
      return { kind: 'skipped', message, durationMs: outcome.durationMs, ...known };
    case 'failed': {
      const { error, durationMs } = outcome;
      const protocolError = protocolErrorOf(error);
      return { kind: 'errored', message, durationMs, protocolError, ...known };
    }
    default:
      return assertNever(outcome);
  }
}
