/** Longer names break breadcrumbs, and some systems cannot save them. */
const maxSegmentChars = 80;

/**
 * Converts a name from outside into a path segment that every system can save: no separators, no
 * `..`, no invisible or control characters, no reserved Windows name, at most 80 characters.
 * Different names may give the same segment.
 * @param fallback Used if nothing of the name is left.
 */
export function toPathSegment(name: string, fallback: string): string {
  const visible = name
    .slice(0, maxSegmentChars * 4)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+/gu, '')
    .replaceAll(/[/\\:*?"<>|%#]+/g, '-')
    .replaceAll(/\s+/g, ' ');
  // Does not cut within a surrogate pair.
  const bounded = visible.slice(0, maxSegmentChars).replace(/[\uD800-\uDBFF]$/, '');
  const segment = bounded.replace(/^[\s.-]+/, '').replace(/[\s.-]+$/, '');
  if (segment === '') return fallback;
  return /^(con|prn|aux|nul|con(in|out)\$|(com|lpt)[\d¹²³])(\.|$)/i.test(segment)
    ? `_${segment}`
    : segment;
}
