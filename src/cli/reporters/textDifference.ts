const maxLines = 30;
const around = 2;

/**
 * Where two texts differ, as lines that begin with `-` for the first and `+` for the second: from
 * the first line to the last that is another one, with two lines around, at most 30 of each.
 */
export function textDifference(expected: string, actual: string): readonly string[] {
  const [one, other] = [expected.trimEnd().split('\n'), actual.trimEnd().split('\n')];
  let begin = 0;
  while (begin < one.length && one[begin] === other[begin]) begin += 1;
  let end = 0;
  const most = Math.min(one.length, other.length) - begin;
  while (end < most && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return [
    ...marked(one.slice(Math.max(0, begin - around), begin), ' '),
    ...marked(one.slice(begin, one.length - end), '-'),
    ...marked(other.slice(begin, other.length - end), '+'),
    ...marked(one.slice(one.length - end, one.length - end + around), ' '),
  ];
}

function marked(lines: readonly string[], mark: string): readonly string[] {
  const shown = lines.slice(0, maxLines).map((line) => `${mark} ${line}`);
  return lines.length > maxLines ? [...shown, `${mark} …`] : shown;
}
