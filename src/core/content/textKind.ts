/** Longer text is not parsed to find out whether it is JSON. */
const maxParsedChars = 4 * 1024 * 1024;
/** Markdown shows at the beginning, or the reader will not miss its colours. */
const maxLookedAtChars = 16 * 1024;

/**
 * What text is that came without a media type of its own. JSON is an object or an array, whole and
 * valid; Markdown needs two different signs of it, because one alone is common in logs and source.
 */
export function textKindOf(text: string): 'json' | 'markdown' | 'plain' {
  if (isJsonDocument(text)) return 'json';
  return isMarkdown(text.slice(0, maxLookedAtChars)) ? 'markdown' : 'plain';
}

/** Whether `text` is a JSON object or array; texts above 4 Mi characters are not looked at. */
export function isJsonDocument(text: string): boolean {
  return parseJsonDocument(text) !== undefined;
}

export function parseJsonDocument(text: string): object | undefined {
  if (text.length > maxParsedChars || !/^\s*[{[]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // Not JSON, which is an answer and no failure.
    return undefined;
  }
}

function isMarkdown(text: string): boolean {
  const lines = text.split(/\r?\n/, maxLines).map((line) => line.slice(0, maxLineChars));
  const has = (pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
  const fences = lines.filter((line) => /^(```|~~~)/.test(line)).length;
  const strong = [fences >= 2, has(/^#{1,6} \S/), has(/^\|?[ :]*-{3,}[ :]*\|[ :|-]*$/)];
  const weak = [has(/\*\*[^\s*][^*]*\*\*/), has(/\[[^\][]+\]\([^()\s]+\)/), has(/^#{2,6} \S/)];
  return count(strong) >= 1 && count(strong) + count(weak) >= 2;
}

function count(signs: readonly boolean[]): number {
  return signs.filter(Boolean).length;
}

const maxLines = 400;
const maxLineChars = 400;
