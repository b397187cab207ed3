import type { ErrorObject } from 'ajv';

/** More are looked at by nobody; each costs some hundred bytes. */
const maxErrors = 10_000;
/** Every so many characters of its place an error counts once more. */
const charsOfOneError = 256;

/** More errors at once than are kept; nothing is known about the value. */
export class TooManyErrors extends Error {
  constructor() {
    super(`${maxErrors} violations`);
  }
}

type Errors = ErrorObject[] | null;

/**
 * Keeps the errors of one validation few. Ajv has no limit of its own: it makes an object for each
 * error, also for those of alternatives that turn out not to matter. What {@link withErrorBudget}
 * makes of its code calls these, which count what is held at any one time.
 */
export class ErrorBudget {
  #held = 0;

  /** Before every validation: the one before may have been interrupted. */
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

  /** What was tried in vain no longer counts. */
  cut(errors: Errors, length: number): Errors {
    if (errors === null) return null;
    for (let index = length; index < errors.length; index += 1) this.#release(errors[index]);
    errors.length = length;
    return length === 0 ? null : errors;
  }

  /** At the end of a function; whoever called it takes them by {@link join}, or nobody does. */
  leave(errors: Errors): Errors {
    for (const error of errors ?? []) this.#release(error);
    return errors;
  }

  /**
   * The errors of a function that was called, taken from it: it lives as long as the schema does.
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

/** Some are empty: those that only say that there are any. */
function weightOf({ instancePath }: Partial<ErrorObject>): number {
  return 1 + Math.floor((instancePath?.length ?? 0) / charsOfOneError);
}

/** Before a name that is one of Ajv's own, and no property of a value. */
const own = String.raw`(?<![\w$.])`;

/** In the code that Ajv makes: texts, which are left alone, and everything that touches errors. */
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
 * Ajv's code with every error counted by `self.errorBudget`, where `self` is the instance.
 * @throws {Error} when there is something in it that would escape, also a promise
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
