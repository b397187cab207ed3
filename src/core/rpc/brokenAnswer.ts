/** An answer that is no JSON; `null`: its id was not read. */
export interface BrokenAnswer {
  readonly id: string | number | null;
}

/**
 * One token: a string (without its end where the line ends in it), a sign, or a word, such as a
 * number, `NaN` or `undefined`. Strings may hold characters that JSON wants escaped, and be quoted as
 * Python does.
 */
const token = /\s*("(?:[^"\\]|\\.)*(?:"|\\?$)|'(?:[^'\\]|\\.)*(?:'|\\?$)|[{}[\],:]|-?[\w.+-]+)/suy;
const answerKeys: ReadonlySet<string> = new Set(['"jsonrpc"', '"id"', '"result"', '"error"']);

/**
 * Whether `line`, which is no JSON, was surely meant as the answer to a request, and to which. Reads
 * the members of the outermost object until something does not fit; members of others do not count.
 */
export function brokenAnswer(line: string): BrokenAnswer | undefined {
  const members = outerMembers(line);
  if (members === undefined) return undefined;
  if ([...members.keys()].some((key) => !answerKeys.has(key))) return undefined;
  if (!members.has('"result"') && !members.has('"error"')) return undefined;
  const id = idOf(members.get('"id"'));
  if (id !== null) return { id };
  // A log in JSON has other members than these, but a cut one may not have come to them.
  return members.get('"jsonrpc"') === '"2.0"' ? { id } : undefined;
}

/** Each key, in its quotes, with the token its value begins with; `undefined`: it is no object. */
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
