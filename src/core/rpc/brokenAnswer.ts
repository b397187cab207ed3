/** An answer that is not valid JSON. `null` means that its id could not be read. */
export interface BrokenAnswer {
  readonly id: string | number | null;
}

/**
 * Matches one token: a string (perhaps cut at the end of the line), a punctuation character, or a
 * word such as a number, `NaN` or `undefined`. Strings may have unescaped characters, and the
 * quotes of Python.
 */
const token = /\s*("(?:[^"\\]|\\.)*(?:"|\\?$)|'(?:[^'\\]|\\.)*(?:'|\\?$)|[{}[\],:]|-?[\w.+-]+)/suy;
const answerKeys: ReadonlySet<string> = new Set(['"jsonrpc"', '"id"', '"result"', '"error"']);

/**
 * Recognizes a malformed `line` that was certainly meant as the answer to a request. Reads the
 * members of the outermost object until something does not fit; inner members are ignored.
 */
export function brokenAnswer(line: string): BrokenAnswer | undefined {
  const members = outerMembers(line);
  if (members === undefined) return undefined;
  if ([...members.keys()].some((key) => !answerKeys.has(key))) return undefined;
  if (!members.has('"result"') && !members.has('"error"')) return undefined;
  const id = idOf(members.get('"id"'));
  if (id !== null) return { id };
  // A JSON log has other members, but a truncated one may lack them.
  return members.get('"jsonrpc"') === '"2.0"' ? { id } : undefined;
}

/**
 * Maps each quoted key to the first token of its value. Returns `undefined` if the line is not an
 * object.
 */
function outerMembers(line: string): ReadonlyMap<string, string> | undefined {
  const members = new Map<string, string>();
  const open: string[] = [];
  let before = ['', ''];
  token.lastIndex = 0;
  for (let match = token.exec(line); match !== null; match = token.exec(line)) {
    const text = (match[1] ?? '').replace(/^'([^"]*)'$/su, '"$1"');
    if (open.length === 0 && (text !== '{' || members.size > 0)) return undefined;
    if (open.length === 1 && before[1] === ':') members.set(before[0] ?? '', text);
    if (text === '{' || text === '[') open.push(text === '{' ? '}' : ']');
    else if ((text === '}' || text === ']') && open.pop() !== text) break;
    if (open.length === 0) break;
    before = [before[1] ?? '', text];
  }
  return members.size === 0 ? undefined : members;
}

function idOf(text: string | undefined): string | number | null {
  if (text === undefined) return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : null;
}
