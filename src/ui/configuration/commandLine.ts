/** A program and its arguments, as a person types them. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Takes a line apart at blanks. Quotes, double or single, hold a part together; in double quotes
 * `\"` is a quote. Every other backslash stays, because Windows paths are full of them. Nothing is
 * expanded: no shell will see it. `undefined` without a command or with an open quote.
 */
export function parseCommandLine(line: string): CommandLine | undefined {
  const parts: string[] = [];
  const pattern = /\s*((?:"(?:\\"|[^"])*"|'[^']*'|[^\s"'])+)/y;
  const trimmed = line.trim();
  while (pattern.lastIndex < trimmed.length) {
    const part = pattern.exec(trimmed)?.[1];
    if (part === undefined) return undefined;
    parts.push(unquoted(part));
  }
  const [command, ...args] = parts;
  return command === undefined || command === '' ? undefined : { command, args };
}

function unquoted(part: string): string {
  return part.replaceAll(/"((?:\\"|[^"])*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
    double === undefined ? (single ?? '') : double.replaceAll('\\"', '"'),
  );
}
