import {
  findStep,
  notFound,
  parsePointerSteps,
  type PointerResult,
} from '../../../core/json/jsonPointer';
import { isContainer } from '../../../core/json/leaves';

/** A JSON pointer (RFC 6901) in which `*` matches every element or member. */
export interface Pointer {
  /** The pointer as written. */
  readonly text: string;
  readonly steps: readonly string[];
}

/** Pointers with more matches are treated as undetermined. */
const maxFound = 10_000;

/** Returns `undefined` if the text is no pointer, or longer than 64 steps. */
export function parsePointer(text: string): Pointer | undefined {
  const steps = parsePointerSteps(text);
  return steps === undefined ? undefined : { text, steps };
}

/**
 * Returns every place that `pointer` leads to in `root`, and at least one: a place without a value
 * if there is nothing. Returns `undefined` if there are more than 10,000.
 */
export function findPlaces(
  root: unknown,
  { steps }: Pointer,
): readonly PointerResult[] | undefined {
  let places: readonly PointerResult[] = [{ isThere: true, value: root }];
  for (const step of steps) {
    const next: PointerResult[] = [];
    for (const place of places) {
      next.push(...(place.isThere ? below(place.value, step) : [notFound]));
      if (next.length > maxFound) return undefined;
    }
    places = next;
  }
  return places;
}

function below(value: unknown, step: string): readonly PointerResult[] {
  if (step !== '*' || !isContainer(value)) return [findStep(value, step)];
  const all = Object.values(value);
  // One more than the limit is enough, without spreading a million.
  const some = all.slice(0, maxFound + 1).map((each) => ({ isThere: true, value: each }) as const);
  return some.length === 0 ? [notFound] : some;
}

/**
 * Returns the values that a condition on a single value is checked against: those inside an array,
 * however deep, or the value itself. Returns `undefined` if there are more than 10,000; empty for
 * an empty array.
 */
export function scalarValues(value: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return [value];
  const scalars: unknown[] = [];
  const waiting: unknown[] = value.slice(0, maxFound + 1);
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen === maxFound) return undefined;
    const next = waiting.pop();
    if (Array.isArray(next)) waiting.push(...next.slice(0, maxFound + 1));
    else scalars.push(next);
  }
  return scalars;
}
