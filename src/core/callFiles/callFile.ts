import type { TextPlace } from '../arguments/argumentsJson';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import type { PointerSteps } from '../json/jsonPointer';

/** One call of a call file, its variables not yet filled in. */
export interface FileCall {
  /** As in `calls`; `''` for the only call of a file that names none. */
  readonly name: string;
  /** Where it stands in the file. */
  readonly pointer: string;
  readonly server: string;
  readonly tool: string;
  /** Absent stays absent on the wire. */
  readonly arguments?: JsonObject;
  /** Its own time limit; absent: what the settings say. */
  readonly timeoutMs?: number;
  readonly expect: Expectation;
}

/** What a run has to bring to pass. */
export interface Expectation {
  /** Whether an error of the tool is what is wanted; absent means no. */
  readonly isError?: boolean;
  /** JSON schema of `structuredContent`. */
  readonly schema?: JsonObject | boolean;
  /** Exact values at places of `{content, structuredContent, isError}`. */
  readonly values: readonly ExpectedValue[];
}

export interface ExpectedValue {
  /** As written. */
  readonly pointer: string;
  readonly steps: PointerSteps;
  readonly value: JsonValue;
}

/** How an input is asked for. */
export interface CallFileInput {
  readonly description?: string;
  /** Typed unseen, and kept where secrets are kept. */
  readonly isPassword: boolean;
}

export interface CallFile {
  readonly inputs: ReadonlyMap<string, CallFileInput>;
  /** In the order of the file. */
  readonly calls: readonly FileCall[];
}

export type CallFileProblemCode =
  | 'syntax'
  | 'notAnObject'
  | 'duplicateName'
  | 'notExact'
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
  | 'openVariable'
  | 'unknownVariable'
  | 'badVariable'
  | 'unknownCall'
  | 'laterCall';

/** Something because of which nothing of the file is run, at its place. */
export interface CallFileProblem extends TextPlace {
  readonly code: CallFileProblemCode;
  /** The name, key or variable that it is about, from the file. */
  readonly detail?: string;
}
