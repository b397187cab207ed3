import { isObject, stringOrAbsent } from '../json/shapes';
import type { Icon } from '../types';

/** Servers offer a few sizes and two themes. */
const maxIcons = 20;
/** Icons that can be displayed are smaller, even as base64. */
const maxSourceChars = 128 * 1024;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * Parses a list of icons. Invalid ones are left out, because a listing must not fail for an icon
 * . Returns `undefined` if none is left.
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
  // Older servers send a single string.
  const given: unknown[] = Array.isArray(sizes) ? sizes : [sizes];
  const known = given.filter((size): size is string => typeof size === 'string').slice(0, maxIcons);
  if (known.length > 0) icon.sizes = known;
  if (theme === 'light' || theme === 'dark') icon.theme = theme;
  return icon;
}
