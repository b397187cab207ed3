/** A program, its arguments, and the variables before it. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const assignment = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;

/**
 * Splits a command line as typed or copied: with a shell prompt before it, with `NAME=value` (or
 * `env NAME=value`) before the program, over several lines that end in a backslash. Single and
 * double quotes keep a part together; in double quotes `\"` is a quote. Other backslashes stay,
 * because Windows paths contain them. Nothing is expanded, because no shell runs the line. Returns
 * `undefined` without a program or with an open quote.
 */
export function parseCommandLine(line: string): CommandLine | undefined {
  const parts = splitLine(withoutPrompt(line));
  if (parts === undefined) return undefined;
  const env: [string, string][] = [];
  if (parts[0] === 'env' && assignment.test(parts[1] ?? '')) parts.shift();
  for (;;) {
    const [, name, value] = assignment.exec(parts[0] ?? '') ?? [];
    if (name === undefined || value === undefined) break;
    env.push([name, value]);
    parts.shift();
  }
  const [command, ...args] = parts;
  if (command === undefined || command === '') return undefined;
  return { command, args, env: Object.fromEntries(env) };
}

/** Splits a line into parts; returns `undefined` for an open quote. */
export function splitLine(line: string): string[] | undefined {
  const parts: string[] = [];
  const pattern = /\s*((?:"(?:\\"|[^"])*"|'[^']*'|[^\s"'])+)/y;
  const trimmed = line.trim();
  while (pattern.lastIndex < trimmed.length) {
    const part = pattern.exec(trimmed)?.[1];
    if (part === undefined) return undefined;
    // A lone backslash continues a line; the input box has removed the line break after it.
    if (part !== '\\') parts.push(unquoted(part));
  }
  return parts;
}

function withoutPrompt(line: string): string {
  return line.trim().replace(/^(?:\$|%|>|PS [^>]*>) +/, '');
}

function unquoted(part: string): string {
  return part.replaceAll(/"((?:\\"|[^"])*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
    double === undefined ? (single ?? '') : double.replaceAll('\\"', '"'),
  );
}
