import type { ErrorObject } from 'ajv';
import { RawJson } from '../json/rawJson';
import { bytesOf, isContainer } from '../json/shapes';

/** Each error takes some hundred bytes, and longer lists are not useful. */
const maxErrors = 10_000;
/** A long instance path counts as one more error per this many characters. */
const charsOfOneError = 256;

/** There are more errors than the limit, so the validation ended without a verdict. */
export class TooManyErrors extends Error {
  constructor() {
    super(`${maxErrors} violations`);
  }
}

type Errors = ErrorObject[] | null;

/**
 * Limits how many errors one validation holds at a time. Ajv has no such limit: it makes an object
 * for each error, even for errors of alternatives that do not matter in the end. The code that
 * {@link withErrorBudget} produces calls these methods.
 */
export class ErrorBudget {
  #held = 0;

  /** Called before every validation, because the previous one may have been interrupted. */
  begin(): void {
    this.#held = 0;
  }

  /** @throws {TooManyErrors} */
  first(error: ErrorObject): Errors {
    this.#hold(error);
    return [error];
  }

  /** @throws {TooManyErrors} */
  push(errors: ErrorObject[], error: ErrorObject): void {
    this.#hold(error);
    errors.push(error);
  }

  /** Errors of alternatives that were discarded no longer count. */
  cut(errors: Errors, length: number): Errors {
    if (errors === null) return null;
    for (let index = length; index < errors.length; index += 1) this.#release(errors[index]);
    errors.length = length;
    return length === 0 ? null : errors;
  }

  /**
   * Called at the end of a generated function. Its caller takes the errors by {@link join}, or
   * drops them.
   */
  leave(errors: Errors): Errors {
    for (const error of errors ?? []) this.#release(error);
    return errors;
  }

  /**
   * Takes over the errors of a called function. They are removed from it because it lives as long
   * as the schema.
   * @throws {TooManyErrors}
   */
  join(errors: Errors, called: { errors?: ErrorObject[] | null }): Errors {
    const more = called.errors ?? [];
    called.errors = null;
    for (const error of more) this.#hold(error);
    if (errors === null) return more;
    for (const error of more) errors.push(error);
    return errors;
  }

  #hold(error: ErrorObject): void {
    this.#held += weightOf(error);
    if (this.#held > maxErrors) throw new TooManyErrors();
  }

  #release(error: ErrorObject | undefined): void {
    if (error !== undefined) this.#held -= weightOf(error);
  }
}

/** Errors may be empty objects that only mark a failure. */
function weightOf({ instancePath }: Partial<ErrorObject>): number {
  return 1 + Math.floor((instancePath?.length ?? 0) / charsOfOneError);
}

/** Matches before a name of Ajv's own, but not before a property of a value. */
const own = String.raw`(?<![\w$.])`;

/**
 * Matches string literals in Ajv's code, which stay unchanged, and everything that touches errors.
 */
const touches = new RegExp(
  [
    String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`,
    String.raw`${own}vErrors\.push\((?<pushed>err\d+)\);`,
    String.raw`${own}vErrors = \[(?<only>err\d+)\];`,
    String.raw`${own}vErrors\.length = (?<length>_errs\d+);`,
    String.raw`(?:let )?${own}vErrors = null;`,
    String.raw`${own}vErrors = vErrors === null \? (?<called>[\w.]+)\.errors : vErrors\.concat\(\k<called>\.errors\);`,
    String.raw`${own}(?<left>\w+)\.errors = vErrors;`,
    String.raw`(?<other>${own}(?:vErrors(?:\.(?!length;)|\[| = )|async function|await ))`,
  ].join('|'),
  'g',
);

/**
 * Makes Ajv's code count every error with `self.errorBudget`, where `self` is the Ajv instance.
 * @throws {Error} if the code has a construct that would not be counted, including a promise
 */
export function withErrorBudget(code: string): string {
  let counted = '';
  let end = 0;
  for (const found of code.matchAll(touches)) {
    counted += code.slice(end, found.index) + replacement(found[0], found.groups ?? {});
    end = found.index + found[0].length;
  }
  return counted + code.slice(end);
}

function replacement(text: string, groups: Readonly<Record<string, string | undefined>>): string {
  const { pushed, only, length, called, left, other } = groups;
  if (pushed !== undefined) return `self.errorBudget.push(vErrors, ${pushed});`;
  if (only !== undefined) return `vErrors = self.errorBudget.first(${only});`;
  if (length !== undefined) return `vErrors = self.errorBudget.cut(vErrors, ${length});`;
  if (called !== undefined) return `vErrors = self.errorBudget.join(vErrors, ${called});`;
  if (left !== undefined) return `${left}.errors = self.errorBudget.leave(vErrors);`;
  if (other !== undefined) throw new Error(`${other} cannot be validated by`);
  if (text === 'vErrors = null;') return 'vErrors = self.errorBudget.cut(vErrors, 0);';
  return text;
}

/** This many characters of a string or name are as much work as one more value. */
const charsOfOneValue = 32;

/**
 * Counts the values in `value`, with long strings and names as several. Visits about `limit` values
 * at most.
 */
export function weightUpTo(limit: number, value: unknown): number {
  const waiting = [value];
  let weight = 0;
  while (waiting.length > 0 && weight <= limit) {
    const next = waiting.pop();
    weight += 1;
    if (typeof next === 'string') {
      weight += next.length / charsOfOneValue;
    } else if (!isContainer(next)) {
      const length = next instanceof RawJson ? next.byteLength : bytesOf(next)?.length;
      weight += (length ?? 0) / charsOfOneValue;
    } else if (Array.isArray(next)) {
      // Each item counts at least one, so the limit is already exceeded.
      if (next.length > limit) return next.length;
      for (const item of next) waiting.push(item);
    } else {
      for (const name in next) {
        weight += 1 + name.length / charsOfOneValue;
        if (weight > limit) return weight;
        waiting.push(Reflect.get(next, name));
      }
    }
  }
  return weight;
}

/**
 * Estimates the memory that a value takes, as if each counted value took as much as its equivalent
 * in characters.
 */
export function bytesInMemory(value: unknown): number {
  return Math.ceil(weightUpTo(Number.POSITIVE_INFINITY, value) * charsOfOneValue);
}
