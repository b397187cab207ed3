/** The limit for arguments at the gate. */
const maxChars = 32 * 1024 * 1024;

const quote = 34;
const slash = 47;
const backslash = 92;

/**
 * True if a text of JSON with comments would take too long to parse. The time depends on tokens
 * (brackets, commas, strings, numbers); one long string takes hardly any. Stops counting at the
 * limit.
 */
export function hasTooManyTokens(text: string, maxTokens: number): boolean {
  if (text.length > maxChars) return true;
  let tokens = 0;
  let isInWord = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const isWordPart = isWord(code);
    if (code > 32 && !(isWordPart && isInWord)) tokens += 1;
    isInWord = isWordPart;
    if (tokens > maxTokens) return true;
    if (code === quote) index = endOfText(text, index);
    else if (code === slash) index = endOfComment(text, index);
  }
  return false;
}

/** Letters, digits, and other characters of numbers. */
function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 43 ||
    code === 45 ||
    code === 46 ||
    code === 95 ||
    code > 127
  );
}

/** Returns the index of the closing quote, or of the last character if there is none. */
function endOfText(text: string, begin: number): number {
  for (let end = begin; ;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
}

/** Returns the last index of a comment that begins here, or the index of the slash if none does. */
function endOfComment(text: string, begin: number): number {
  const next = text[begin + 1];
  if (next !== '/' && next !== '*') return begin;
  const end = next === '/' ? text.indexOf('\n', begin) : text.indexOf('*/', begin + 2);
  if (end < 0) return text.length;
  return next === '/' ? end : end + 1;
}
