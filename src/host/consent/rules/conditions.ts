import { posix } from 'node:path';
import { assertNever } from '../../../core/errors';
import type { PointerResult } from '../../../core/json/jsonPointer';
import { isSameJson } from '../../../core/json/shapes';
import { isNumber } from '../../../core/json/writtenNumber';
import { matchesHost, type ConditionResult } from './hosts';
import { findPlaces, scalarValues } from './glob';
import type { Condition, PlaceConditions } from './rule';
import { foldedPath, type PathPlace } from './workspacePaths';
import { percentDecoded } from '../../../core/percentDecoded';

/** The tools that conditions need besides the value. The caller limits both. */
export interface ConditionTools {
  /** Returns `undefined` if the pattern took too long and was stopped. */
  readonly test: (pattern: RegExp, text: string) => boolean | undefined;
  readonly placeOf: (path: string) => Promise<PathPlace>;
}

/**
 * `loosens`: for a rule that allows, everything must be certain. `tightens`: a possible match is
 * enough.
 */
export type MatchStrictness = 'loosens' | 'tightens';

/**
 * Checks whether all conditions match the arguments. Each is checked against every value at its
 * pointer (several for `*`, or in an array): a rule that loosens needs all of them, and at least
 * one; a rule that tightens needs one. What cannot be determined makes the rule stricter on either
 * side.
 */
export async function matchesAllConditions(
  when: readonly PlaceConditions[],
  root: unknown,
  side: MatchStrictness,
  tools: ConditionTools,
): Promise<boolean> {
  for (const { pointer, conditions } of when) {
    const places = findPlaces(root, pointer);
    for (const condition of conditions) {
      const holds =
        places === undefined ? side === 'tightens' : await holdsAt(condition, places, side, tools);
      if (!holds) return false;
    }
  }
  return true;
}

async function holdsAt(
  condition: Condition,
  places: readonly PointerResult[],
  side: MatchStrictness,
  tools: ConditionTools,
): Promise<boolean> {
  /** Returns true if this value alone decides. */
  const settles = (verdict: ConditionResult): boolean =>
    side === 'loosens' ? verdict !== 'yes' : verdict !== 'no';
  for (const place of places) {
    if (condition.kind === 'exists') {
      if (settles(toVerdict(place.isThere === condition.isThere))) return side === 'tightens';
      continue;
    }
    const values = place.isThere ? valuesFor(condition, place.value) : [];
    if (values === undefined) return side === 'tightens';
    if (values.length === 0 && settles('no')) return false;
    for (const value of values) {
      if (settles(await verdictOn(condition, value, side, tools))) return side === 'tightens';
    }
  }
  return side === 'loosens';
}

/** Returns `undefined` if there are too many. */
function valuesFor(condition: Condition, value: unknown): readonly unknown[] | undefined {
  const isWhole = condition.kind === 'equals' && Array.isArray(condition.value);
  return isWhole ? [value] : scalarValues(value);
}

async function verdictOn(
  condition: Exclude<Condition, { kind: 'exists' }>,
  value: unknown,
  side: MatchStrictness,
  tools: ConditionTools,
): Promise<ConditionResult> {
  if (condition.kind === 'equals') {
    return isVague(value, condition.value)
      ? 'unclear'
      : toVerdict(isSameJson(value, condition.value));
  }
  const text = textOf(value, side);
  if (text === undefined) return 'no';
  switch (condition.kind) {
    case 'matches': {
      const found = tools.test(condition.pattern, text);
      return found === undefined ? 'unclear' : toVerdict(found);
    }
    case 'startsWith':
      return startsWith(text, condition.text);
    case 'insideWorkspace': {
      const place = await tools.placeOf(text);
      return place === 'unclear'
        ? 'unclear'
        : toVerdict((place === 'inside') === condition.isInside);
    }
    case 'hostIn':
      return matchesHost(text, condition.hosts);
    default:
      return assertNever(condition);
  }
}

/**
 * Settings contain JavaScript numbers, so it is unknown which of nearby large numbers was meant.
 */
function isVague(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'number' || !isNumber(value) || value.valueOf() !== wanted) return false;
  return Number.isInteger(wanted) && !Number.isSafeInteger(wanted);
}

/** A server may treat a number like its text. */
function textOf(value: unknown, side: MatchStrictness): string | undefined {
  if (typeof value === 'string') return value;
  const isScalar = isNumber(value) || typeof value === 'boolean';
  return side === 'tightens' && isScalar ? String(value) : undefined;
}

/**
 * Such conditions are usually for paths: `..` can leave the intended folder, and another spelling
 * of a path can enter it.
 */
function startsWith(text: string, beginning: string): ConditionResult {
  if (text.startsWith(beginning))
    return climbs(text.slice(beginning.length - 1)) ? 'unclear' : 'yes';
  const [path, start] = [cleanedPath(text), cleanedPath(beginning)];
  const isBelow =
    start === './'
      ? !path.startsWith('/') && !climbs(path)
      : path.startsWith(start.replace(/^\.\//, ''));
  return isBelow ? 'unclear' : 'no';
}

/** Makes texts equal that may name the same path. */
function cleanedPath(text: string): string {
  const path = /^file:/i.test(text) ? pathInUri(text) : text;
  return posix.normalize(foldedPath(path).replaceAll('\\', '/'));
}

function pathInUri(uri: string): string {
  // A drive letter follows a slash that is not part of the path.
  const path = uri.replace(/^file:(?:\/\/[^/]*)?(?:\/(?=[a-z]:))?/i, '');
  return percentDecoded(path);
}

function climbs(path: string): boolean {
  return /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path);
}

function toVerdict(holds: boolean): ConditionResult {
  return holds ? 'yes' : 'no';
}
