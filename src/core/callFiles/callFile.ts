import type { TextPlace } from '../arguments/argumentsJson';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import type { PointerSteps } from '../json/jsonPointer';
import type { ToolAnnotations } from '../types';

export type FilePhase = 'before' | 'after';

/** The target of a call: a tool to run, or a resource (by URI) or prompt to read. */
export type FileCallTarget =
  | ToolTarget
  | { readonly kind: 'resource' | 'prompt'; readonly name: string };

interface ToolTarget {
  readonly kind: 'tool';
  readonly name: string;
}

/** One call of a call file, before its variables are filled in. */
export interface FileCall {
  /** The key in `calls`, or `''` for the only call of a file without one. */
  readonly name: string;
  /**
   * `before` prepares the other calls, `after` cleans up even if they fail. Absent for ordinary
   * calls.
   */
  readonly phase?: FilePhase;
  /** JSON pointer to the call in the file. */
  readonly pointer: string;
  readonly server: string;
  readonly target: FileCallTarget;
  /** If absent, it is absent on the wire too. */
  readonly arguments?: JsonObject;
  /** True to send the arguments without validating them. */
  readonly isSentAsIs?: true;
  /** Answers to questions of the server during the call. Absent if the user answers them. */
  readonly answers?: readonly QuestionAnswer[];
  /** Defaults to the configured time limit. */
  readonly timeoutMs?: number;
  readonly expect: Expectation;
}

/** A call of a tool, which is subject to the gate. */
export interface ToolFileCall extends FileCall {
  readonly target: ToolTarget;
}

export function isToolCall(call: FileCall): call is ToolFileCall {
  return call.target.kind === 'tool';
}

/** The displayed name of a call: its own, or else that of its target. */
export function calledName({ name, target }: Pick<FileCall, 'name' | 'target'>): string {
  return name === '' ? target.name : name;
}

/** An answer to one question of the server. */
export interface QuestionAnswer {
  /** Matches the text of the question. Absent for whichever question comes next. */
  readonly question?: RegExp;
  readonly action: 'accept' | 'decline' | 'cancel';
  /** The values for the form of the question. */
  readonly content?: JsonObject;
}

/** The expected result of a call. */
export interface Expectation {
  /** True if the tool has to report an error. Defaults to false. */
  readonly isError?: boolean;
  /** True if the answer has to violate the tool's `outputSchema`. Defaults to false. */
  readonly schemaViolations?: boolean;
  /** The protocol error that has to come instead of an answer. */
  readonly error?: ExpectedError;
  /** JSON schema for `structuredContent`, or the file that contains it. */
  readonly schema?: JsonObject | boolean | FileReference;
  /** Expected values at places of `{content, structuredContent, isError}`. */
  readonly places: readonly ExpectedPlace[];
  /** Limit for the duration of the call, in milliseconds. */
  readonly underMs?: number;
  /** Hints that the server has to declare for the tool. */
  readonly annotations?: ToolAnnotations;
  /** The whole answer in the format of `comparableText`, or the file that contains it. */
  readonly answer?: JsonObject | FileReference;
  /** Member names and JSON pointers whose values in `answer` are not compared. */
  readonly ignored: readonly string[];
}

/** The expected JSON-RPC error. Without members, any error is accepted. */
export interface ExpectedError {
  readonly code?: number;
  /** The complete message. */
  readonly message?: string;
  /** Has to match somewhere in the message. */
  readonly pattern?: RegExp;
}

/** A relative path from the call file, with `/` as separator. */
export class FileReference {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

/** An expected value at one place of a result. */
export type ExpectedPlace = {
  /** The pointer as written in the file. */
  readonly pointer: string;
  readonly steps: PointerSteps;
} & (
  | { readonly kind: 'values'; readonly value: JsonValue }
  /** Part of a string, an item of an array, or some members of an object. */
  | { readonly kind: 'contains'; readonly value: JsonValue }
  | { readonly kind: 'matches'; readonly pattern: RegExp }
  /** The number of items of an array, or of members of an object. */
  | { readonly kind: 'count'; readonly least: number; readonly most: number }
);

/** An input that the user is asked for. */
export interface CallFileInput {
  readonly description?: string;
  /** True if the value is masked, and kept in secret storage. */
  readonly isPassword: boolean;
}

export interface CallFile {
  readonly inputs: ReadonlyMap<string, CallFileInput>;
  /** In execution order: `before`, `calls`, `after`, each in the order of the file. */
  readonly calls: readonly FileCall[];
}

export type CallFileProblemCode =
  | 'syntax'
  | 'notAnObject'
  | 'duplicateName'
  | 'tooDeep'
  | 'tooLarge'
  | 'tooManyCalls'
  | 'empty'
  | 'unknownKey'
  | 'missingKey'
  | 'mixed'
  | 'notAnObjectHere'
  | 'notAText'
  | 'notABoolean'
  | 'notASchema'
  | 'badTimeout'
  | 'badPointer'
  | 'badPattern'
  | 'badCount'
  | 'badErrorCode'
  | 'badSend'
  /** A call names more than one of tool, resource and prompt. */
  | 'severalTargets'
  /** The key does not apply to resources and prompts. */
  | 'onlyForTools'
  | 'notAnswers'
  | 'tooManyAnswers'
  | 'badAction'
  /** The key needs an answer, but an error is expected. */
  | 'notWithError'
  | 'badDuration'
  | 'badFile'
  | 'notAnAnswer'
  | 'notAList'
  | 'openVariable'
  | 'unknownVariable'
  | 'badVariable'
  | 'badGenerated'
  | 'unknownCall'
  | 'laterCall';

/** A problem in the file, with its place. A file with problems is not run. */
export interface CallFileProblem extends TextPlace {
  readonly code: CallFileProblemCode;
  /** The name, key or variable that the problem is about, from the file. */
  readonly detail?: string;
  /** The key that was probably meant. */
  readonly nearest?: string;
}
