/** An address in a line of text. */
export interface TextLink {
  readonly start: number;
  readonly end: number;
  readonly uri: string;
}

const maxLinkChars = 2_000;

/**
 * Finds every place in a line where an editor could detect a link by itself: web addresses and
 * local files. The starts match the editor's exactly; the ends are where a reader would expect
 * them, at a blank, a quote or closing punctuation.
 */
export function textLinksIn(line: string): readonly TextLink[] {
  const starts = [...line.matchAll(/(?:https?|file):\/\//gi)].map(({ index }) => index);
  return starts.map((start, place) => {
    const next = starts[place + 1] ?? line.length;
    const rest = line.slice(start, Math.min(next, start + maxLinkChars));
    const [run = ''] = /^[^\s"'`<>|\\^{}\p{C}]*/u.exec(rest) ?? [];
    const uri = withoutEnd(run);
    return { start, end: start + uri.length, uri };
  });
}

/** Removes trailing punctuation of the sentence, and closing brackets without an opening one. */
function withoutEnd(run: string): string {
  let uri = run.replace(sentenceEnd, '');
  for (const [opening, closing] of pairs) {
    const missing = uri.split(closing).length - uri.split(opening).length;
    for (let left = missing; left > 0 && uri.endsWith(closing); left -= 1) uri = uri.slice(0, -1);
    if (missing > 0) uri = uri.replace(sentenceEnd, '');
  }
  return uri;
}

const pairs = [
  ['(', ')'],
  ['[', ']'],
] as const;

/** Limited in length to keep the search fast. */
const sentenceEnd = /[.,;:!?…。、，；：！？]{1,9}$/u;
