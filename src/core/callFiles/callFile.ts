import type { TextPlace } from '../arguments/argumentsJson';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import type { PointerSteps } from '../json/jsonPointer';
import type { ToolAnnotations } from '../types';

export type FilePhase = 'before' | 'after';

/** What a call wants of its server: a tool to run, or a resource (by its URI) or a prompt to read. */
export type FileCallTarget =
  ToolTarget | { readonly kind: 'resource' | 'prompt'; readonly name: string };

interface ToolTarget {
  readonly kind: 'tool';
  readonly name: string;
}

/** One call of a call file, its variables not yet filled in. */
export interface FileCall {
  /** As in `calls`; `''` for the only call of a file that names none. */
  readonly name: string;
  /** `before`: it prepares the others. `after`: it cleans up, however they went. Absent: neither. */
  readonly phase?: FilePhase;
  /** Where it stands in the file. */
  readonly pointer: string;
  readonly server: string;
  readonly target: FileCallTarget;
  /** Absent stays absent on the wire. */
  readonly arguments?: JsonObject;
  /** The arguments are sent without being held against the schema of the tool. */
  readonly isSentAsIs?: true;
  /** What the server gets when it asks during the call. Absent: the user is asked, if there is one. */
  readonly answers?: readonly QuestionAnswer[];
  /** Its own time limit; absent: what the settings say. */
  readonly timeoutMs?: number;
  readonly expect: Expectation;
}

/** A call that runs a tool, so that the gate decides about it. */
export interface ToolFileCall extends FileCall {
  readonly target: ToolTarget;
}

export function isToolCall(call: FileCall): call is ToolFileCall {
  return call.target.kind === 'tool';
}

/** What a call is called by users who gave it no name. */
export function calledName({ name, target }: Pick<FileCall, 'name' | 'target'>): string {
  return name === '' ? target.name : name;
}

/** An answer to one question of the server. */
export interface QuestionAnswer {
  /** A pattern of which the question has a match; absent: the next question, whatever it is. */
  readonly question?: RegExp;
  readonly action: 'accept' | 'decline' | 'cancel';
  /** What the form of the question gets. */
  readonly content?: JsonObject;
}

/** What a run has to bring to pass. */
export interface Expectation {
  /** Whether an error of the tool is what is wanted; absent means no. */
  readonly isError?: boolean;
  /** Whether the answer is to break the tool's own `outputSchema`; absent means no. */
  readonly schemaViolations?: boolean;
  /** An error of the protocol that has to come in place of an answer. */
  readonly error?: ExpectedError;
  /** JSON schema of `structuredContent`, or the file that holds it. */
  readonly schema?: JsonObject | boolean | FileReference;
  /** What has to be at places of `{content, structuredContent, isError}`. */
  readonly places: readonly ExpectedPlace[];
  /** The most milliseconds that the call may take. */
  readonly underMs?: number;
  /** What the server has to declare about the tool, hint by hint. */
  readonly annotations?: ToolAnnotations;
  /** The whole answer as `comparableText` writes it, or the file that holds it. */
  readonly answer?: JsonObject | FileReference;
  /** Of `answer`: names of members and JSON pointers whose values are nobody's business. */
  readonly ignored: readonly string[];
}

/** What a JSON-RPC error has to be; with no members any error is fine. */
export interface ExpectedError {
  readonly code?: number;
  /** The whole message. */
  readonly message?: string;
  /** A pattern of which the message has a match. */
  readonly pattern?: RegExp;
}

/** A file beside the call file, by its path from there: no absolute one, with `/` everywhere. */
export class FileReference {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

/** What one place of a result has to be. */
export type ExpectedPlace = {
  /** As written. */
  readonly pointer: string;
  readonly steps: PointerSteps;
} & (
  | { readonly kind: 'values'; readonly value: JsonValue }
  /** A part of a text, an item of an array, or some members of an object. */
  | { readonly kind: 'contains'; readonly value: JsonValue }
  | { readonly kind: 'matches'; readonly pattern: RegExp }
  /** Items of an array, or members of an object. */
  | { readonly kind: 'count'; readonly least: number; readonly most: number }
);

/** How an input is asked for. */
export interface CallFileInput {
  readonly description?: string;
  /** Typed unseen, and kept where secrets are kept. */
  readonly isPassword: boolean;
}

export interface CallFile {
  readonly inputs: ReadonlyMap<string, CallFileInput>;
  /** In the order in which they run: `before`, `calls`, `after`, each in the order of the file. */
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
  /** A call names more than one of a tool, a resource and a prompt. */
  | 'severalTargets'
  /** It says nothing about resources and prompts. */
  | 'onlyForTools'
  | 'notAnswers'
  | 'tooManyAnswers'
  | 'badAction'
  /** It is about an answer, and an error is expected. */
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

/** Something because of which nothing of the file is run, at its place. */
export interface CallFileProblem extends TextPlace {
  readonly code: CallFileProblemCode;
  /** The name, key or variable that it is about, from the file. */
  readonly detail?: string;
  /** A key that was perhaps meant. */
  readonly nearest?: string;
}
