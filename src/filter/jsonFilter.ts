import {
  compile,
  getRegisteredFunctions,
  search,
  tokenize,
  type JSONValue,
} from '@jmespath-community/jmespath';
import { runWithTimeLimit } from '../core/bounds/runWithTimeLimit';
import { TooMuchJson } from '../core/json/jsonLimits';
import { findValue, parsePointerSteps } from '../core/json/jsonPointer';
import { isContainer } from '../core/json/shapes';
import { NotJson, parseJson } from '../core/json/parseJson';
import {
  isNumber,
  stringifyExactly,
  toExactNumber,
  WrittenNumber,
} from '../core/json/writtenNumber';
import {
  maxFilterChars,
  maxFilteredBytes,
  type FilterAnswer,
  type FilterSummary,
} from '../core/stdio/filterProcess';

/** One JSON document, and what filters select of it. */
export class FilteredDocument {
  readonly #text: string;
  readonly #limitMs: number;
  /** As written, for pointers. `undefined` until it is needed. */
  #written: { readonly value: unknown } | undefined;
  #computable: JSONValue | undefined;

  /** @param limitMs time for one filter */
  constructor(text: string, limitMs: number) {
    this.#text = text;
    this.#limitMs = limitMs;
  }

  /**
   * Applies a JSON pointer, which begins with a slash, or a JMESPath expression. `isWhole`: the
   * answer has the JSON that it selects.
   */
  filter(expression: string, isWhole: boolean): FilterAnswer {
    const wrong = problemOf(expression);
    if (wrong !== undefined) return wrong;
    try {
      const done = runWithTimeLimit(this.#limitMs, () => {
        const selected = this.#select(expression);
        return selected === undefined || selected === null
          ? ({ kind: 'nothing' } as const)
          : answerOf(selected, isWhole);
      });
      return done?.value ?? { kind: 'time' };
    } catch (error) {
      if (error instanceof NotJson || error instanceof TooMuchJson) return { kind: 'notJson' };
      const detail = error instanceof Error ? error.message : String(error);
      return /string length|call stack/i.test(detail)
        ? { kind: 'output' }
        : { kind: 'failed', detail };
    }
  }

  #select(expression: string): unknown {
    this.#written ??= { value: parseJson(this.#text) };
    const steps = expression.startsWith('/') ? parsePointerSteps(expression) : undefined;
    if (steps !== undefined) {
      const found = findValue(this.#written.value, steps);
      return found.isThere ? found.value : undefined;
    }
    this.#computable ??= computable(parseJson(this.#text));
    return search(this.#computable, expression);
  }
}

/** Returns why the filter cannot be used on any document. */
export function problemOf(expression: string): FilterAnswer | undefined {
  if (expression.length > maxFilterChars) return { kind: 'tooLong' };
  if (expression.startsWith('/')) {
    return parsePointerSteps(expression) === undefined ? { kind: 'notPointer' } : undefined;
  }
  const failed = syntaxProblem(expression);
  return failed ?? unknownFunction(expression);
}

function syntaxProblem(expression: string): FilterAnswer | undefined {
  if (stateOf(expression) === 'complete') return undefined;
  const { starts, unread } = startsIn(expression);
  if (isOpenText(unread)) return { kind: 'incomplete' };
  // The parser names no places. Up to the first token that does not fit, every beginning can be
  // continued.
  let [fits, fails] = [0, starts.length];
  while (fails - fits > 1) {
    const middle = Math.floor((fits + fails) / 2);
    if (stateOf(expression.slice(0, starts[middle])) === 'wrong') fails = middle;
    else fits = middle;
  }
  if (fails === starts.length && stateOf(expression) === 'open') return { kind: 'incomplete' };
  const at = starts[fits] ?? 0;
  const [token = ''] = /^(?:\w+|\W)/u.exec(expression.slice(at)) ?? [];
  return { kind: 'syntax', at, token };
}

/** Offsets of the tokens, and the text from the first one that cannot be read. */
function startsIn(expression: string) {
  for (let end = expression.length; end > 0; end -= 1) {
    const starts = tokensOf(expression.slice(0, end))?.map(({ start }) => start);
    if (starts === undefined) continue;
    const unread = expression.slice(end).trimStart();
    return unread === ''
      ? { starts, unread }
      : { starts: [...starts, expression.length - unread.length], unread };
  }
  return { starts: [0], unread: expression };
}

/** Returns `undefined` if the text cannot be read, or ends within a text or literal. */
function tokensOf(expression: string) {
  try {
    const tokens = tokenize(`${expression} @`);
    return tokens.pop()?.start === expression.length + 1 ? tokens : undefined;
  } catch {
    return undefined;
  }
}

function isOpenText(text: string): boolean {
  const [quote = ''] = text;
  return /^["'`]/.test(text) && !text.includes(quote, 1);
}

/** `open` is the beginning of an expression. */
function stateOf(expression: string): 'complete' | 'open' | 'wrong' {
  if (tokensOf(expression) === undefined) return 'wrong';
  try {
    compile(expression);
    return 'complete';
  } catch (error) {
    const detail = error instanceof Error ? error.message : '';
    // The parser complains about the end, or reads beyond it.
    return /\bEOF\b|\bundefined\b/.test(detail) ? 'open' : 'wrong';
  }
}

function unknownFunction(expression: string): FilterAnswer | undefined {
  const known = new Set(getRegisteredFunctions());
  const tokens = tokensOf(expression) ?? [];
  for (const [index, { value, start }] of tokens.entries()) {
    const isCalled = tokens[index + 1]?.value === '(' && /\w/.test(expression[start] ?? '');
    if (isCalled && typeof value === 'string' && !known.has(value)) {
      return { kind: 'unknownFunction', at: start, name: value };
    }
  }
  return undefined;
}

/**
 * Prepares a value for the library, in place: it looks up members without regard to inheritance,
 * and compares only JavaScript's numbers. Numbers that those cannot hold stay as written.
 */
function computable(root: unknown): JSONValue {
  const open: unknown[] = [root];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (!isContainer(each)) continue;
    if (!Array.isArray(each)) Object.setPrototypeOf(each, null);
    for (const name of Object.keys(each)) {
      const member: unknown = Reflect.get(each, name);
      if (member instanceof WrittenNumber) Reflect.set(each, name, toExactNumber(member));
      else if (isContainer(member)) open.push(member);
    }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was parsed from JSON
  return root as JSONValue;
}

function answerOf(selected: unknown, isWhole: boolean): FilterAnswer {
  const summary = summaryOf(selected);
  if (!isWhole) return { kind: 'selected', summary };
  const bytes = Buffer.from(`${stringifyExactly(selected, 2)}\n`);
  if (bytes.length > maxFilteredBytes) return { kind: 'output' };
  return { kind: 'selected', summary, bytes };
}

function summaryOf(selected: unknown): FilterSummary {
  if (Array.isArray(selected)) return { kind: 'list', count: selected.length };
  if (typeof selected === 'string') return { kind: 'text', count: selected.length };
  if (typeof selected === 'boolean' || isNumber(selected)) {
    return { kind: 'value', json: stringifyExactly(selected).slice(0, 100) };
  }
  return { kind: 'object', count: Object.keys(Object(selected)).length };
}
