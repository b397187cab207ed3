/** Larger texts are shown as they came: laying them out would stop the editor for a moment. */
const maxFormattedChars = 1024 * 1024;
/** Deeper ones too, because indentation alone would make them grow without bound. */
const maxFormattedDepth = 64;

/**
 * Valid JSON laid out over several lines, every literal exactly as it was written, so that no
 * number changes. Text that is very long, very deep, or has lines of its own is returned as it is.
 */
export function formatJson(text: string): string {
  if (text.length > maxFormattedChars || text.trim().includes('\n')) return text;
  const out: string[] = [];
  let depth = 0;
  let previous = '';
  for (const token of tokensOf(text)) {
    const isClosing = token === '}' || token === ']';
    const isAfterOpening = previous === '{' || previous === '[';
    if (isClosing) depth -= 1;
    if (isAfterOpening ? !isClosing : isClosing || previous === ',') {
      out.push('\n', '  '.repeat(depth));
    }
    out.push(token === ':' ? ': ' : token);
    if (token === '{' || token === '[') depth += 1;
    if (depth > maxFormattedDepth) return text;
    previous = token;
  }
  return `${out.join('')}\n`;
}

/** Brackets, commas, colons and literals of valid JSON, without the space between them. */
function* tokensOf(text: string): Generator<string> {
  const plain = /\s*([^\s{}[\],:"]+|[{}[\],:"])/y;
  for (let match = plain.exec(text); match !== null; match = plain.exec(text)) {
    const token = match[1] ?? '';
    if (token !== '"') {
      yield token;
      continue;
    }
    const start = plain.lastIndex - 1;
    plain.lastIndex = stringEnd(text, start);
    yield text.slice(start, plain.lastIndex);
  }
}

/** Where the string that begins at `start` ends; its closing quote is the one not escaped. */
function stringEnd(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end + 1;
}

/**
 * A parsed value as laid out JSON text; `undefined` for what has no JSON, and for values nested so
 * deeply that no JSON can be written of them.
 */
export function jsonTextOf(value: unknown): string | undefined {
  try {
    const compact: string | undefined = JSON.stringify(value);
    return compact === undefined ? undefined : formatJson(compact);
  } catch {
    // Nested beyond the stack, or not a value that came from JSON.
    return undefined;
  }
}
