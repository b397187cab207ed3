import type { Icon } from '../types';

/** Those for this theme, best first: made for it before made for any, small before large. */
export function orderedIcons(
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
