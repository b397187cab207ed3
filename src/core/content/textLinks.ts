/** An address in a line of text. */
export interface TextLink {
  readonly start: number;
  readonly end: number;
  readonly uri: string;
}

const maxLinkChars = 2_000;

/**
 * Every place of a line in which an editor could find a link by itself: it looks for addresses of
 * the web and of local files. The starts are exactly these places; the ends are where a reader
 * would see them, at a blank, a quote or what closes a sentence.
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

/** Without what belongs to the sentence around it, and brackets that were not opened in it. */
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

/** At most so many at the end of an address, so that looking for them is quick. */
const sentenceEnd = /[.,;:!?…。、，；：！？]{1,9}$/u;
