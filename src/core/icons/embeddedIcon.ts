import type { Icon } from '../types';
import { readIconImage } from './imageFormat';

const dataPattern = /^data:[^,;]*(?:;[^,;]*)*;base64,([A-Za-z0-9+/]+={0,2})$/i;

/** In bytes. More than an icon needs, and small enough for a tooltip. */
const maxIconBytes = 32 * 1024;

/**
 * Returns the best icon for a theme as a `data:` URI with the type that its bytes show, whatever
 * the server declared. Only embedded icons are used: nothing is fetched.
 * Invalid icons are left out.
 */
export function embeddedIcon(
  icons: readonly Icon[] | undefined,
  theme: 'light' | 'dark',
): string | undefined {
  for (const { src } of orderedIcons(icons, theme)) {
    const bytes = bytesOf(src);
    const image = bytes && bytes.length <= maxIconBytes ? readIconImage(bytes) : undefined;
    if (bytes && image)
      return `data:${image.mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
  }
  return undefined;
}

function bytesOf(src: string): Uint8Array | undefined {
  if (src.length > maxIconBytes * 2) return undefined;
  const [, base64] = dataPattern.exec(src.trim()) ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}

/** Sorts the icons for this theme: theme-specific before general, small before large. */
function orderedIcons(
  icons: readonly Icon[] | undefined,
  theme: 'light' | 'dark',
): readonly Icon[] {
  const fitting = (icons ?? []).filter((icon) => (icon.theme ?? theme) === theme);
  return fitting.toSorted((one, other) => rank(one) - rank(other));
}

function rank({ theme, sizes }: Icon): number {
  const side = Number(/^(\d{1,4})x/.exec(sizes?.[0] ?? '')?.[1] ?? 48);
  return (theme === undefined ? 10_000 : 0) + Math.abs(side - 32);
}
