import type { Icon } from '../types';
import { showableIcon, maxIconBytes, type ShowableIcon } from './showableIcon';
import { orderedIcons } from './iconOrder';

const dataPattern = /^data:[^,;]*(?:;[^,;]*)*;base64,([A-Za-z0-9+/]+={0,2})$/i;

/**
 * The best of the icons that stand in the list itself, for this theme; nothing is fetched, so no
 * other kind of source is looked at. What is wrong in any way is left out.
 */
export function embeddedIcon(
  icons: readonly Icon[] | undefined,
  theme: 'light' | 'dark',
): ShowableIcon | undefined {
  for (const { src } of orderedIcons(icons, theme)) {
    const bytes = bytesOf(src);
    const icon = bytes && showableIcon(bytes);
    if (icon !== undefined) return icon;
  }
  return undefined;
}

function bytesOf(src: string): Uint8Array | undefined {
  if (src.length > maxIconBytes * 2) return undefined;
  const [, base64] = dataPattern.exec(src.trim()) ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}
