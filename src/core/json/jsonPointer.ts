import { isContainer } from './shapes';

/** The steps of a JSON pointer (RFC 6901); empty for the whole value. */
export type PointerSteps = readonly string[];

export type PointerResult =
  | { readonly isThere: true; readonly value: unknown }
  | { readonly isThere: false };

const maxSteps = 64;
/** Result for a place that does not exist. */
export const notFound: PointerResult = { isThere: false };

/** Returns `undefined` if the text is not a pointer, or has more than 64 steps. */
export function parsePointerSteps(text: string): PointerSteps | undefined {
  if (text === '') return [];
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined;
  const steps = text.slice(1).split('/').map(fromPointerStep);
  return steps.length > maxSteps ? undefined : steps;
}

/** Encodes `name` as one step of a pointer. */
export function toPointerStep(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Decodes a step of a pointer, without its slash, to a name. */
export function fromPointerStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Returns the value at the pointer; inherited properties do not count. */
export function findValue(root: unknown, steps: PointerSteps): PointerResult {
  let found: PointerResult = { isThere: true, value: root };
  for (const step of steps) {
    if (!found.isThere) return notFound;
    found = findStep(found.value, step);
  }
  return found;
}

/** Returns the value one step below; inherited properties do not count. */
export function findStep(value: unknown, step: string): PointerResult {
  if (!isContainer(value)) return notFound;
  if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(step)) return notFound;
  const found = Object.getOwnPropertyDescriptor(value, step);
  return found === undefined ? notFound : { isThere: true, value: found.value };
}
