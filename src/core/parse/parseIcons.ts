import { isObject, stringOrAbsent } from '../json/shapes';
import type { Icon } from '../types';

/** A server offers a few sizes and two themes. */
const maxIcons = 20;
/** An icon worth drawing is smaller, also as base64. */
const maxSourceChars = 128 * 1024;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * The icons that something names; what is wrong is left out, because no listing fails for a
 * picture. `undefined` when none is left.
 */
export function parseIcons(value: unknown): readonly Icon[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const icons = value.slice(0, maxIcons).flatMap((item: unknown) => {
    const icon = parseIcon(item);
    return icon === undefined ? [] : [icon];
  });
  return icons.length === 0 ? undefined : icons;
}

function parseIcon(value: unknown): Icon | undefined {
  if (!isObject(value)) return undefined;
  const { src, sizes, theme } = value;
  if (typeof src !== 'string' || src.length > maxSourceChars) return undefined;
  const icon: Writable<Icon> = { src };
  const mimeType = stringOrAbsent(value.mimeType);
  if (mimeType !== undefined) icon.mimeType = mimeType;
  // One text in older servers.
  const given: unknown[] = Array.isArray(sizes) ? sizes : [sizes];
  const known = given.filter((size): size is string => typeof size === 'string').slice(0, maxIcons);
  if (known.length > 0) icon.sizes = known;
  if (theme === 'light' || theme === 'dark') icon.theme = theme;
  return icon;
}
