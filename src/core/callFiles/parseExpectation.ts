import { parsePointerSteps, toPointerStep } from '../json/jsonPointer';
import type { JsonObject, JsonValue } from '../json/jsonValue';
import { isJsonObject } from '../json/shapes';
import type { ToolAnnotations } from '../types';
import {
  FileReference,
  type ExpectedPlace,
  type Expectation,
  type PatternBudget,
  type ReportProblem,
} from './callFile';

/** One day, as for time limits. */
export const maxUnderMs = 86_400_000;
const maxPathChars = 1_000;
const maxIgnored = 1_000;

/** Keys of `expect`, in the order of completion. */
export const expectKeys = [
  'isError',
  'schemaViolations',
  'error',
  'values',
  'contains',
  'matches',
  'count',
  'under',
  'schema',
  'annotations',
  'answer',
  'ignore',
] as const;

const errorKeys = ['code', 'message', 'matches'];
/** The keys that can be combined with `error`. */
const keysWithError: ReadonlySet<string> = new Set(['error', 'under']);

/** The members of a result that pointers may begin with. */
const resultKeys = ['content', 'structuredContent', 'isError'];

/** The hints of a tool and their types. */
export const annotationTypes: Readonly<Record<keyof ToolAnnotations, 'string' | 'boolean'>> = {
  title: 'string',
  readOnlyHint: 'boolean',
  destructiveHint: 'boolean',
  idempotentHint: 'boolean',
  openWorldHint: 'boolean',
};

/** The default: the tool reports no error, and its answer fits its `outputSchema`. */
export const defaultExpectation: Expectation = { places: [], ignored: [] };

/** Parses the `expect` of a call. */
export function parseExpectation(
  value: JsonValue | undefined,
  pointer: string,
  report: ReportProblem,
  patterns: PatternBudget,
): Expectation {
  if (value === undefined) return defaultExpectation;
  if (!isJsonObject(value)) {
    report('notAnObjectHere', pointer, 'expect');
    return defaultExpectation;
  }
  return new ExpectationParser(value, pointer, report, patterns).parse();
}

class ExpectationParser {
  readonly #given: JsonObject;
  readonly #pointer: string;
  readonly #report: ReportProblem;
  readonly #patterns: PatternBudget;

  constructor(given: JsonObject, pointer: string, report: ReportProblem, patterns: PatternBudget) {
    this.#given = given;
    this.#pointer = pointer;
    this.#report = report;
    this.#patterns = patterns;
  }

  parse(): Expectation {
    for (const key of Object.keys(this.#given)) {
      if (!expectKeys.some((known) => known === key))
        this.#complain('unknownKey', toPointerStep(key), key, expectKeys);
      else if (Object.hasOwn(this.#given, 'error') && !keysWithError.has(key))
        this.#complain('notWithError', toPointerStep(key), key);
    }
    return {
      ...this.#flag('isError'),
      ...this.#flag('schemaViolations'),
      ...this.#error(),
      ...this.#schema(),
      ...this.#under(),
      ...this.#annotations(),
      ...this.#answer(),
      places: (['values', 'contains', 'matches', 'count'] as const).flatMap((kind) =>
        this.#places(kind),
      ),
      ignored: this.#ignored(),
    };
  }

  #complain(
    code: Parameters<ReportProblem>[0],
    below: string,
    detail?: string,
    known?: readonly string[],
  ): void {
    this.#report(code, this.#pointer + below, detail, known);
  }

  /** Ignores inherited members. */
  #member(key: (typeof expectKeys)[number]): JsonValue | undefined {
    return Object.hasOwn(this.#given, key) ? this.#given[key] : undefined;
  }

  #flag(key: 'isError' | 'schemaViolations'): Pick<Expectation, 'isError' | 'schemaViolations'> {
    const value = this.#member(key);
    if (typeof value === 'boolean') return { [key]: value };
    if (value !== undefined) this.#complain('notABoolean', `/${key}`, key);
    return {};
  }

  #error(): Pick<Expectation, 'error'> {
    const value = this.#member('error');
    if (value === undefined) return {};
    if (!isJsonObject(value)) {
      this.#complain('notAnObjectHere', '/error', 'error');
      return {};
    }
    for (const key of Object.keys(value)) {
      if (errorKeys.includes(key)) continue;
      this.#complain('unknownKey', `/error${toPointerStep(key)}`, key, errorKeys);
    }
    const { code, message, matches } = value;
    const isCode = typeof code === 'number' && Number.isSafeInteger(code);
    if (code !== undefined && !isCode) this.#complain('badErrorCode', '/error/code');
    if (message !== undefined && typeof message !== 'string')
      this.#complain('notAText', '/error/message', 'message');
    const pattern = matches === undefined ? undefined : this.#pattern(matches, '/error/matches');
    return {
      error: {
        ...(isCode ? { code } : {}),
        ...(typeof message === 'string' ? { message } : {}),
        ...(pattern === undefined ? {} : { pattern }),
      },
    };
  }

  #pattern(value: JsonValue, below: string): RegExp | undefined {
    return this.#patterns.read(value, this.#pointer + below, this.#report);
  }

  #schema(): Pick<Expectation, 'schema'> {
    const value = this.#member('schema');
    if (typeof value === 'boolean') return { schema: value };
    const schema = this.#valueOrFile('schema', value, 'notASchema');
    return schema === undefined ? {} : { schema };
  }

  #answer(): Pick<Expectation, 'answer'> {
    const answer = this.#valueOrFile('answer', this.#member('answer'), 'notAnAnswer');
    return answer === undefined ? {} : { answer };
  }

  #valueOrFile(
    key: 'schema' | 'answer',
    value: JsonValue | undefined,
    problem: 'notASchema' | 'notAnAnswer',
  ): JsonObject | FileReference | undefined {
    if (value === undefined || isJsonObject(value)) return value;
    if (typeof value !== 'string') this.#complain(problem, `/${key}`, key);
    else if (isRelativePath(value)) return new FileReference(value);
    else this.#complain('badFile', `/${key}`, value);
    return undefined;
  }

  #under(): Pick<Expectation, 'underMs'> {
    const value = this.#member('under');
    if (value === undefined) return {};
    if (isWholeNumber(value) && value > 0 && value <= maxUnderMs) return { underMs: value };
    this.#complain('badDuration', '/under');
    return {};
  }

  #annotations(): Pick<Expectation, 'annotations'> {
    const value = this.#member('annotations');
    if (value === undefined) return {};
    if (!isJsonObject(value)) {
      this.#complain('notAnObjectHere', '/annotations', 'annotations');
      return {};
    }
    const known = new Map<string, string>(Object.entries(annotationTypes));
    for (const [name, hint] of Object.entries(value)) {
      const type = known.get(name);
      if (type === typeof hint) continue;
      const code =
        type === undefined ? 'unknownKey' : type === 'string' ? 'notAText' : 'notABoolean';
      this.#complain(code, `/annotations${toPointerStep(name)}`, name);
    }
    return { annotations: value };
  }

  #ignored(): readonly string[] {
    const value = this.#member('ignore');
    if (value === undefined) return [];
    const texts = Array.isArray(value)
      ? value.filter((each: unknown): each is string => typeof each === 'string')
      : undefined;
    if (texts === undefined || !Array.isArray(value) || texts.length !== value.length) {
      this.#complain('notAList', '/ignore', 'ignore');
      return [];
    }
    return texts.slice(0, maxIgnored);
  }

  #places(kind: ExpectedPlace['kind']): readonly ExpectedPlace[] {
    const value = this.#member(kind);
    if (value === undefined) return [];
    if (!isJsonObject(value)) {
      this.#complain('notAnObjectHere', `/${kind}`, kind);
      return [];
    }
    return Object.entries(value).flatMap(([pointer, expected]) => {
      const steps = parsePointerSteps(pointer);
      const [first] = steps ?? [];
      const below = `/${kind}${toPointerStep(pointer)}`;
      if (steps === undefined || first === undefined || !resultKeys.includes(first)) {
        this.#complain('badPointer', below, pointer);
        return [];
      }
      return this.#place(kind, { pointer, steps }, expected, below);
    });
  }

  #place(
    kind: ExpectedPlace['kind'],
    place: Pick<ExpectedPlace, 'pointer' | 'steps'>,
    value: JsonValue,
    below: string,
  ): readonly ExpectedPlace[] {
    if (kind === 'values' || kind === 'contains') return [{ ...place, kind, value }];
    if (kind === 'count') {
      const bounds = toCount(value);
      if (bounds !== undefined) return [{ ...place, kind, ...bounds }];
      this.#complain('badCount', below);
      return [];
    }
    const pattern = this.#pattern(value, below);
    return pattern === undefined ? [] : [{ ...place, kind, pattern }];
  }
}

/** A number is exact; `{ least, most }` is a range, of which one bound suffices. */
function toCount(value: JsonValue): { readonly least: number; readonly most: number } | undefined {
  if (isWholeNumber(value)) return { least: value, most: value };
  if (!isJsonObject(value)) return undefined;
  const { least = 0, most = Number.MAX_SAFE_INTEGER, ...others } = value;
  const isEmpty = Object.keys(value).length === 0 || Object.keys(others).length > 0;
  if (isEmpty || !isWholeNumber(least) || !isWholeNumber(most) || least > most) return undefined;
  return { least, most };
}

function isWholeNumber(value: JsonValue): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/**
 * True for a path that means the same on every system. The reader of the file checks its target.
 */
export function isRelativePath(path: string): boolean {
  if (path === '' || path.length > maxPathChars || path.startsWith('/')) return false;
  return !/[\\:\0]/.test(path);
}
