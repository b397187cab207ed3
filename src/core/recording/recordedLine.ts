import { findStep, type PointerSteps } from '../json/jsonPointer';
import { RawJson } from '../json/rawJson';
import { bytesOf, isObject, type UnknownObject } from '../json/shapes';
import { writtenBytes } from '../json/writtenBytes';
import { writeExactly, WrittenNumber } from '../json/writtenNumber';
import { createHash } from 'node:crypto';
import { openRegularFile } from '../bounds/regularFile';
import { parseFollowedJson } from '../json/parseJson';

/** The format version, in the first line of every recording. */
export const recordingVersion = 1;
/** A longer message is replaced by its description, so that recordings can be read and shared. */
const maxMessageChars = 4 * 1024 * 1024;

/** Members that say what kind of message or part it is. */
const formKeys: readonly string[] = ['method', 'type', 'role'];

/** Limits names in the description of an omitted message. */
const maxNameChars = 200;

/** One message of a recording. */
export interface RecordedMessage {
  /** Milliseconds after the start of the recording. */
  readonly at: number;
  /** The id of the server during the recording. */
  readonly server: string;
  readonly to: 'server' | 'client';
  /** Absent if it was too large to keep. */
  readonly message?: object;
}

/** Returns the first line. */
export function recordingHead(now: Date): string {
  return JSON.stringify({ mcprecord: recordingVersion, recordedAt: now.toISOString() });
}

/**
 * Returns the last line. A recording without it, or with another number of messages, is incomplete.
 */
export function recordingEnd(messages: number): string {
  return JSON.stringify({ isEnd: true, messages });
}

/**
 * Returns the line of a message, without a line break. `redact` is applied to texts, and private
 * members and the values at `omitted` are removed. A message that is too large, or has structured
 * content with too many values, is only described.
 */
export function recordedLine(
  { message, ...facts }: RecordedMessage & { readonly message: object },
  redact: (text: string) => string,
  omitted: readonly PointerSteps[],
): string {
  const json = messageJson(() => {
    const kept = withoutPrivate(message, facts.to);
    return omitted.reduce<unknown>(leaveOut, kept);
  }, redact);
  if (json === undefined || json.length > maxMessageChars) {
    return JSON.stringify({ ...facts, ...namesOf(message, redact), isLeftOut: true });
  }
  return `${JSON.stringify(facts).slice(0, -1)},"message":${json}}`;
}

/** Returns `undefined` for a message that is not kept. */
function messageJson(
  makeMessage: () => unknown,
  redact: (text: string) => string,
): string | undefined {
  let room = maxMessageChars;
  let isLarge = false;
  const textOf = (key: string, bytes: Uint8Array): string | undefined => {
    if (fewestChars(key, bytes) > room) return undefined;
    return writtenBytes(key, bytes);
  };
  try {
    const json = writeExactly(() =>
      JSON.stringify(makeMessage(), function (this: unknown, key: string, value: unknown) {
        // The result for bytes would be walked item by item.
        if (isLarge) return undefined;
        // Read from the holder, because `toJSON` has already converted values that are kept as
        // text.
        const held = isObject(this) ? this[key] : Array.isArray(this) ? this[Number(key)] : value;
        // The caller replaces it while writing.
        if (held instanceof WrittenNumber) return value;
        const bytes = bytesOf(held);
        const text = bytes === undefined ? value : textOf(key, bytes);
        isLarge = held instanceof RawJson || (text === undefined && held !== undefined);
        if (isLarge) return undefined;
        if (typeof text !== 'string') return withRedactedNames(text, redact);
        const isForm = (formKeys.includes(key) && isProtocolWord(text)) || text === '2.0';
        const redacted = isForm ? text : redact(text);
        room -= redacted.length;
        isLarge = room < 0;
        return isLarge ? undefined : redacted;
      }),
    );
    return isLarge ? undefined : json;
  } catch {
    // The message is nested too deeply, or too long for a string.
    return undefined;
  }
}

/** Very large texts are UTF-8 bytes below `text`; elsewhere bytes are decoded base64. */
function fewestChars(key: string, { length }: Uint8Array): number {
  return key === 'text' ? length / 3 : (length / 3) * 4;
}

/** Member names come from the sender, like texts. */
function withRedactedNames(value: unknown, redact: (text: string) => string): unknown {
  if (!isObject(value)) return value;
  const redactedName = (name: string) => (isProtocolWord(name) ? name : redact(name));
  if (Object.keys(value).every((name) => redactedName(name) === name)) return value;
  // Defines own members, so that `__proto__` is an ordinary one.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => [redactedName(name), member]),
  );
}

/** Describes an omitted message by its names, shortened so that the line stays small. */
function namesOf(message: object, redact: (text: string) => string): object {
  const { method, id } = Object.fromEntries(Object.entries(message)) as {
    readonly method?: unknown;
    readonly id?: unknown;
  };
  return {
    ...(isName(method) ? { method: isProtocolWord(method) ? method : redact(method) } : {}),
    ...(typeof id === 'number' ? { id } : {}),
    ...(isName(id) ? { id: redact(id) } : {}),
  };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxNameChars;
}

/** Copies only the path to the place and shares everything else. */
function leaveOut(value: unknown, steps: PointerSteps): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return leftOut;
  const found = findStep(value, step);
  if (!found.isThere || typeof value !== 'object' || value === null) return value;
  const inside = leaveOut(found.value, rest);
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (String(index) === step ? inside : item));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => [
      name,
      name === step ? inside : member,
    ]),
  );
}

const maxTextChars = 4_096;

/** True if it can be the path of a recording, or the name of a server in one. */
export function isRecordedText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxTextChars;
}

/** Larger recordings are not useful, and would fill the memory. */
export const maxRecordingBytes = 256 * 1024 * 1024;
/** Includes the first and last line. */
const maxRecordingLines = 200_000;

/** Enough for the last line. */
const bytesOfEnd = 100;

/** Tracks the size of a recording, so that it never exceeds what can be read back. */
export class RecordingRoom {
  #bytes: number;
  #messages = 0;

  /** @param head The first line with its line break. */
  constructor(head: Uint8Array) {
    this.#bytes = head.length;
  }

  /** The number of messages that were added. */
  get messages(): number {
    return this.#messages;
  }

  /** Reserves space for a message. Returns false if there is not enough. */
  take({ length }: Uint8Array): boolean {
    if (this.#messages + 2 >= maxRecordingLines) return false;
    if (this.#bytes + length + bytesOfEnd > maxRecordingBytes) return false;
    this.#bytes += length;
    this.#messages += 1;
    return true;
  }
}

/** Replaces values that were removed from a recording. */
const leftOut = '(left out)';

const relatedTaskKey = 'io.modelcontextprotocol/related-task';

/**
 * Removes data that is private between server and user, and not needed for a replay: the state of
 * calls with several rounds, and the user's answers to questions. Task ids, with which any
 * client could read and cancel the task, are replaced everywhere. Shares everything else.
 */
function withoutPrivate(message: object, to: 'server' | 'client'): object {
  if (!isObject(message)) return message;
  const { params, result } = message;
  return {
    ...message,
    ...(isObject(params) ? { params: withoutTaskIds(withoutRounds(params)) } : {}),
    ...(isObject(result)
      ? { result: withoutTaskIds(to === 'server' ? withoutContent(result) : withoutState(result)) }
      : {}),
  };
}

function withoutRounds(params: UnknownObject): UnknownObject {
  const { inputResponses } = params;
  if (!isObject(inputResponses)) return withoutState(params);
  const answers = Object.entries(inputResponses).map(([key, answer]: [string, unknown]) => [
    key,
    isObject(answer) ? withoutContent(answer) : answer,
  ]);
  return { ...withoutState(params), inputResponses: Object.fromEntries(answers) };
}

function withoutState(holder: UnknownObject): UnknownObject {
  return 'requestState' in holder ? { ...holder, requestState: leftOut } : holder;
}

/** Removes the content of an answer to a question. */
function withoutContent(answer: UnknownObject): UnknownObject {
  return answer['action'] === 'accept' && 'content' in answer
    ? { ...answer, content: leftOut }
    : answer;
}

/**
 * Replaces task ids wherever either protocol has them, which does not include arguments and answers
 * of tools.
 */
function withoutTaskIds(holder: UnknownObject): UnknownObject {
  const { taskId, task, tasks, notifications, _meta: meta } = holder;
  return {
    ...holder,
    ...(typeof taskId === 'string' ? { taskId: otherId(taskId) } : {}),
    ...(isObject(task) ? { task: withoutTaskIds(task) } : {}),
    ...(Array.isArray(tasks) ? { tasks: tasks.map(withOtherId) } : {}),
    ...(isObject(notifications) && Array.isArray(notifications.taskIds)
      ? { notifications: { ...notifications, taskIds: notifications.taskIds.map(otherId) } }
      : {}),
    ...(isObject(meta) && isObject(meta[relatedTaskKey])
      ? { _meta: { ...meta, [relatedTaskKey]: withOtherId(meta[relatedTaskKey]) } }
      : {}),
  };
}

function withOtherId(task: unknown): unknown {
  return isObject(task) && 'taskId' in task ? { ...task, taskId: otherId(task.taskId) } : task;
}

/** Equal ids get equal replacements in every recording, so that a replay can tell tasks apart. */
function otherId(taskId: unknown): string {
  return `task-${createHash('sha256').update(String(taskId)).digest('hex').slice(0, 16)}`;
}

/** Includes the members around a message. */
const maxLineChars = maxMessageChars + 4_096;

export interface TextLine {
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** True if it ends with a line break. */
  readonly isWhole: boolean;
}

/**
 * Reads the lines of a file, at most 200,000. @throws {RecordingError} unreadable | badLine |
 * tooManyLines
 */
export async function* linesOfFile(file: string): AsyncGenerator<TextLine> {
  let rest = '';
  let number = 1;
  const line = (text: string, isWhole: boolean): TextLine => {
    if (number > maxRecordingLines) throw new RecordingError('tooManyLines', number);
    const made = { text, number, isWhole };
    number += 1;
    return made;
  };
  try {
    const { handle } = await openRegularFile(file);
    for await (const chunk of handle.createReadStream({ encoding: 'utf8' })) {
      const [first = '', ...pieces] = String(chunk).split('\n');
      // Appended without searching it again, because a long line comes in many chunks.
      rest += first;
      for (const piece of pieces) {
        yield line(rest, true);
        rest = piece;
      }
      if (rest.length > maxLineChars) throw new RecordingError('badLine', number);
    }
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    throw new RecordingError('unreadable');
  }
  if (rest.trim() !== '') yield line(rest, false);
}

/** Returns `undefined` if the line is not JSON or too long; the caller knows the line number. */
export function jsonOfLine(text: string): unknown {
  if (text.length > maxLineChars) return undefined;
  try {
    return parseFollowedJson(text);
  } catch {
    return undefined;
  }
}

/** A problem of a recording. The caller makes the message. */
export class RecordingError extends Error {
  constructor(
    readonly code:
      | 'unreadable'
      | 'tooLarge'
      | 'noRecording'
      | 'brokenExport'
      | 'otherVersion'
      | 'badLine'
      | 'tooManyLines',
    /** Counted from 1. */
    readonly line?: number,
  ) {
    super(line === undefined ? code : `${code} in line ${line}`);
    this.name = 'RecordingError';
  }
}

/**
 * Words that MCP itself puts into messages: member names, methods and content types. They say
 * nothing about the sender, so they are not redacted even if a secret is spelled the same.
 */
const words: ReadonlySet<string> = new Set(
  `jsonrpc id method params result error code message data _meta progressToken
  name title description uri uriTemplate mimeType size lastModified annotations audience priority icons src sizes theme
  content structuredContent isError toolResult type text blob resource contents
  image audio resource_link assistant user
  tools resources resourceTemplates prompts nextCursor cursor arguments inputSchema outputSchema readOnlyHint destructiveHint
  idempotentHint openWorldHint execution taskSupport messages role
  protocolVersion capabilities clientInfo serverInfo version instructions listChanged subscribe
  elicitation sampling roots completions logging experimental extensions
  requestId reason progress total level logger action accept decline cancel requestedSchema mode url elicitationId
  initialize ping tools/list tools/call resources/list resources/read resources/templates/list resources/subscribe
  resources/unsubscribe prompts/list prompts/get completion/complete logging/setLevel server/discover
  elicitation/create sampling/createMessage roots/list subscriptions/listen
  notifications/initialized notifications/cancelled notifications/progress notifications/message
  notifications/tools/list_changed notifications/resources/list_changed notifications/resources/updated
  notifications/prompts/list_changed notifications/roots/list_changed notifications/elicitation/complete`.split(
    /\s+/,
  ),
);

export function isProtocolWord(text: string): boolean {
  return words.has(text);
}
