import { createRequire } from 'node:module';

/** What a line of cmd.exe starts: the program and what is behind it as it stands. */
export interface CmdStart {
  readonly program: string;
  readonly rest: string;
}

/**
 * What cmd.exe makes of one line (https://ss64.com/nt/syntax-esc.html): variables, then carets and
 * operators outside of quotes. `batchArguments`: the line stands in a batch file, and `%*` is these.
 */
function parseLine(
  line: string,
  env: Readonly<Record<string, string>>,
  batchArguments?: string,
): CmdStart[] {
  const inBatch = batchArguments !== undefined;
  const filled = line.replaceAll(/%\*|%([^%]+)%|%%/g, (all, name?: string) => {
    if (all === '%*') return batchArguments ?? all;
    if (all === '%%') return inBatch ? '%' : all;
    return env[(name ?? '').toUpperCase()] ?? (inBatch ? '' : all);
  });
  const commands = [''];
  let isQuoted = false;
  for (let at = 0; at < filled.length; at += 1) {
    const sign = filled.charAt(at);
    if (sign === '\n' || sign === '\r') break;
    if (sign === '"') isQuoted = !isQuoted;
    if (!isQuoted && sign === '^') {
      at += 1;
      commands.push(`${commands.pop()}${filled.charAt(at)}`);
    } else if (!isQuoted && '&|<>'.includes(sign)) commands.push('');
    else commands.push(`${commands.pop()}${sign}`);
  }
  return commands.flatMap((command) => {
    const [, quoted, bare = '', rest = ''] = /^\s*(?:"([^"]*)"|(\S+))(.*)$/s.exec(command) ?? [];
    const program = quoted ?? bare;
    return program === '' ? [] : [{ program, rest }];
  });
}

/** How programs of Windows take their command line apart (CommandLineToArgvW). */
function toArguments(text: string): string[] {
  const args: string[] = [];
  let current: string | undefined;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const [slashes = ''] = /^\\*/.exec(text.slice(at)) ?? [];
    const next = text.charAt(at + slashes.length);
    if (slashes !== '') {
      const kept = next === '"' ? Math.floor(slashes.length / 2) : slashes.length;
      current = (current ?? '') + '\\'.repeat(kept);
      at += slashes.length - 1;
      if (next === '"' && slashes.length % 2 === 1) {
        current += '"';
        at += 1;
      }
    } else if (next === '"') {
      isQuoted = !isQuoted;
      current ??= '';
    } else if (!isQuoted && /\s/.test(next)) {
      if (current !== undefined) args.push(current);
      current = undefined;
    } else current = (current ?? '') + next;
  }
  return current === undefined ? args : [...args, current];
}

/** Every program that runs, with its arguments, when cmd.exe gets this after `/d /s /c`. */
export function runByCmd(
  line: string,
  env: Readonly<Record<string, string>>,
  batches: Readonly<Record<string, string>>,
): string[][] {
  return parseLine(line.slice(1, -1), env).flatMap(({ program, rest }) => {
    const batch = batches[program];
    if (batch === undefined) return [[program, ...toArguments(rest)]];
    return parseLine(batch, env, rest.trim()).map((start) => [
      start.program,
      ...toArguments(start.rest),
    ]);
  });
}

/** How cross-spawn would start it on Windows. */
export function crossSpawnOnWindows(file: string, args: readonly string[]) {
  const fresh = createRequire(__filename);
  const name = fresh.resolve('cross-spawn/lib/parse');
  const forget = (): void => {
    for (const each of Object.keys(fresh.cache)) {
      if (/node_modules[\\/](?:cross-spawn|which|isexe)[\\/]/.test(each)) delete fresh.cache[each];
    }
  };
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
  forget();
  Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
  try {
    const parse = fresh(name) as (
      command: string,
      args: readonly string[],
    ) => { readonly args: string[] };
    return parse(file, args);
  } finally {
    Object.defineProperty(process, 'platform', platform);
    forget();
  }
}
