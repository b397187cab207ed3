/** Longer names break breadcrumbs, and some systems when a result is saved. */
const maxSegmentChars = 80;

/**
 * A name from outside as one segment of a path, in a form that every system can save: no
 * separators, no `..`, no invisible or control characters, no reserved Windows name, at most 80
 * characters. `fallback` stands for a name of which nothing is left. Two names may become one.
 */
export function toPathSegment(name: string, fallback: string): string {
  const visible = name
    .slice(0, maxSegmentChars * 4)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+/gu, '')
    .replaceAll(/[/\\:*?"<>|%#]+/g, '-')
    .replaceAll(/\s+/g, ' ');
  // Not within a pair of surrogates.
  const bounded = visible.slice(0, maxSegmentChars).replace(/[\uD800-\uDBFF]$/, '');
  const segment = bounded.replace(/^[\s.-]+/, '').replace(/[\s.-]+$/, '');
  if (segment === '') return fallback;
  return /^(con|prn|aux|nul|con(in|out)\$|(com|lpt)[\d¹²³])(\.|$)/i.test(segment)
    ? `_${segment}`
    : segment;
}
