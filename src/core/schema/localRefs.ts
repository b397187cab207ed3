import { toName } from '../json/jsonPointer';
import { isObject } from '../json/shapes';

/**
 * What a `$ref` of the form `#` or `#/…` points to inside `root`; `undefined` for everything else.
 * Nothing outside the schema is ever looked at.
 */
export function localTarget(ref: unknown, root: object): unknown {
  if (ref === '#') return root;
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  let target: unknown = root;
  for (const token of ref.slice(2).split('/')) {
    const name = toName(decoded(token));
    if (typeof target !== 'object' || target === null) return undefined;
    if (!Object.hasOwn(target, name)) return undefined;
    target = isObject(target) || Array.isArray(target) ? Reflect.get(target, name) : undefined;
  }
  return target;
}

/** A reference is a part of a URI; one that is no proper one is taken as it stands. */
function decoded(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
