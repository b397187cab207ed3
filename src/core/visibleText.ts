/**
 * Prepares a server's text for display: every character that is invisible, or changes how others
 * are displayed, becomes a visible escape such as `\u{202E}`. Nothing is dropped. Only the
 * beginning of a long text is read.
 */

export interface VisibleTextOptions {
  /**
   * Keeps line breaks and tabs, for places with several lines. Defaults to `escape`, which shows
   * `\n` and `\t`.
   */
  readonly newlines?: 'keep' | 'escape';
}

/**
 * Returns the beginning of `text`, safe to display, in at most `maxChars` UTF-16 units including
 * escapes and a final `…` if it was cut. Cuts between characters, never inside an escape.
 *
 * Unchanged are letters of every script, emoji with their joiners, skin tones and presentation
 * selectors, up to four combining marks on a letter, and joiners that Arabic and Indic spelling
 * needs. Backslashes are unchanged too, so an escape that the server wrote itself looks like ours.
 */
export function visibleText(
  text: string,
  maxChars: number,
  options: VisibleTextOptions = {},
): string {
  // Each unit of text makes at least one of output, except `\r\n`, which makes one of two.
  const beginning = text.length > maxChars * 2 + 2 ? text.slice(0, maxChars * 2 + 2) : text;
  const keepsNewlines = options.newlines === 'keep';
  const plain = keepsNewlines ? /^[\t\n\x20-\x7e]*$/ : /^[\x20-\x7e]*$/;
  if (text.length <= maxChars && plain.test(text)) return text;

  let shown = '';
  let lengthBeforeLast = 0;
  for (const piece of pieces(beginning)) {
    const next = shownAs(piece, keepsNewlines);
    const room = maxChars - shown.length;
    if (next.length > room) {
      return plainRun.test(piece.text) && room > 0
        ? withEllipsis(shown + next.slice(0, room), maxChars - 1)
        : withEllipsis(shown, lengthBeforeLast);
    }
    lengthBeforeLast =
      shown.length + (plainRun.test(next) && !piece.isHidden ? next.length - 1 : 0);
    shown += next;
  }
  return shown;

  /** Makes room for `…` by removing the last piece if necessary. */
  function withEllipsis(full: string, previousLength: number): string {
    if (full.length < maxChars) return `${full}…`;
    return maxChars < 1 ? '' : `${full.slice(0, previousLength)}…`;
  }
}

/** True if the first `maxChars` of `text` have a character that {@link visibleText} escapes. */
export function hasHiddenCharacters(text: string, maxChars: number): boolean {
  // Characters that only the cut tore apart are not hidden: half a character, or an emoji without
  // its joiner.
  const isCut = text.length > maxChars;
  const beginning = isCut
    ? text.slice(0, maxChars).replace(/(?:\u200C|\u200D|\uFE0F|[\uD800-\uDBFF]){1,4}$/, '')
    : text;
  const rest = withoutPlain(beginning);
  if (invisiblePattern.test(rest)) return true;
  // Only these characters depend on their neighbors.
  if (!/[\u200C\u200D]|\p{M}/u.test(rest)) return false;
  for (const piece of pieces(beginning)) {
    if (piece.isHidden && !/^[\t\n\r]+$/.test(piece.text)) return true;
  }
  return false;
}

/**
 * True if `text` has a character that {@link visibleText} escapes anywhere. Ignores joiners and
 * combining marks, which may belong to a spelling or an emoji. Fast enough for each row of a list.
 */
export function hasInvisibleCharacters(text: string): boolean {
  return invisiblePattern.test(withoutPlain(text));
}

/** Adjacent characters of a text that {@link visibleText} would escape. */
export interface HiddenPlace {
  readonly offset: number;
  readonly length: number;
}

/**
 * Returns the hidden characters of `text` in order, at most `maxPlaces` places. Ignores line breaks
 * and tabs.
 */
export function hiddenPlaces(text: string, maxPlaces: number): readonly HiddenPlace[] {
  const places: { offset: number; length: number }[] = [];
  // Includes the preceding character, to which marks and joiners belong.
  for (const { 0: run, index } of text.matchAll(/[\t\n\r\x20-\x7e]?[^\t\n\r\x20-\x7e]+/g)) {
    if (!invisiblePattern.test(run) && !/[\u200C\u200D]|\p{M}/u.test(run)) continue;
    let offset = index;
    for (const { text: piece, isHidden } of pieces(run)) {
      const last = places.at(-1);
      if (isHidden && !/^[\t\n\r]+$/.test(piece)) {
        const isNext = last !== undefined && last.offset + last.length === offset;
        if (isNext) last.length += piece.length;
        else if (places.length === maxPlaces) return places;
        else places.push({ offset, length: piece.length });
      }
      offset += piece.length;
    }
  }
  return places;
}

/** Removing plain characters is seven times as fast as matching them with the large patterns. */
function withoutPlain(text: string): string {
  return text.replaceAll(/[\t\n\r\x20-\x7e]+/g, ' ');
}

/**
 * Escapes `$(name)` for places where VS Code draws an icon for it: labels, descriptions and details
 * of quick picks, and the status bar. Elsewhere (trees, dialogs, notifications, tooltips) the
 * backslash would be visible.
 */
export function escapeIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}

/**
 * Breaks up `[label](target)` for notifications, where VS Code makes links of it, including links
 * that run commands.
 */
export function breakLinks(text: string): string {
  return text.replaceAll('](', '] (');
}

interface Piece {
  readonly text: string;
  readonly isHidden: boolean;
}

/**
 * Splits a text into plain runs, joined emoji, `\r\n` and single characters, each marked as hidden
 * or not.
 */
function* pieces(text: string): Generator<Piece> {
  piecePattern.lastIndex = 0;
  let marks = 0;
  let before = '';
  for (const match of text.matchAll(piecePattern)) {
    const piece = match[0];
    const isMark = /^\p{M}$/u.test(piece);
    marks = isMark ? marks + 1 : 0;
    const isStray = isMark && (marks > maxMarks || !/[\p{L}\p{M}\p{N}\p{S}\p{P}]$/u.test(before));
    const isHidden = isStray || (hiddenPattern.test(piece) && !isSpelling(text, match.index));
    yield { text: piece, isHidden };
    before = isHidden ? '' : piece;
  }
}

/** Vietnamese, Hebrew and Thai need up to four on one letter. */
const maxMarks = 4;

/** Several plain characters, of which none is hidden. The last one of a run is a piece of its own. */
const plainRun = /^[\x20-\x7e]{2}/;

/** A plain run, an emoji with its modifiers, a keycap digit, a line break, or one character. */
const emoji = String.raw`\p{Extended_Pictographic}(?:\uFE0F|\p{Emoji_Modifier})?`;
const piecePattern = new RegExp(
  String.raw`[\x20-\x7e]{2,}(?=[\x20-\x7e])|${emoji}(?:\u200D${emoji})*|[0-9#*]\uFE0F\u20E3|\r\n|[^]`,
  'gu',
);

/**
 * Characters that are not displayed or change others: controls, format characters (zero-width,
 * bidirectional, tags, soft hyphen, invisible operators), lone surrogates, private use, line and
 * paragraph separators, fillers and variation selectors, noncharacters, the object replacement
 * character and the empty Braille pattern. Excludes the visible format characters (Arabic and
 * Syriac number signs).
 */
const hiddenClass = String.raw`(?![\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\uFFFC\u2800]`;
const hiddenPattern = new RegExp(String.raw`^${hiddenClass}|^\r\n$`, 'u');
const invisiblePattern = new RegExp(String.raw`(?![\t\n\r\u200C\u200D\uFE0F])${hiddenClass}`, 'u');

/**
 * True if the character at `index` is a joiner that spelling needs: a zero-width non-joiner between
 * Arabic letters (Persian), or either joiner after the virama of an Indic script.
 */
function isSpelling(text: string, index: number): boolean {
  const character = text[index];
  if (character !== '\u200C' && character !== '\u200D') return false;
  const before = text[index - 1] ?? '';
  const after = text[index + 1] ?? '';
  if (indicVirama.test(before)) return true;
  return character === '\u200C' && arabicLetter.test(before) && arabicLetter.test(after);
}

const indicVirama = /[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]/;
const arabicLetter = /(?=\p{L})\p{Script=Arabic}/u;

const namedEscapes: Readonly<Record<string, string>> = {
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\r\n': String.raw`\r\n`,
};

function shownAs(piece: Piece, keepsNewlines: boolean): string {
  if (!piece.isHidden) return piece.text;
  if (keepsNewlines) {
    if (piece.text === '\n' || piece.text === '\r\n') return '\n';
    if (piece.text === '\t') return '\t';
  }
  const named = namedEscapes[piece.text];
  if (named !== undefined) return named;
  const code = piece.text.codePointAt(0) ?? 0;
  return `\\u{${code.toString(16).toUpperCase().padStart(4, '0')}}`;
}
