import { plainDraft, type DraftNote, type ServerDraft } from './draft';

/** Makes a server that is started by this command line. */
export function programDraft({ command, args, env }: CommandLine): ServerDraft {
  const draft = plainDraft(
    {
      command,
      ...(args.length === 0 ? {} : { args }),
      ...(Object.keys(env).length === 0 ? {} : { env }),
    },
    nameOfProgram(command, args),
  );
  return { ...draft, notes: containerNotes(command, args) };
}

/** Returns the note that a container needs. */
export function containerNotes(command: string, args: readonly string[]): readonly DraftNote[] {
  if (!/^(?:docker|podman)(?:\.exe)?$/i.test(baseName(command)) || args[0] !== 'run') return [];
  const isInteractive = args.some((arg) =>
    /^(?:-[a-z]*i[a-z]*|--interactive(?:=true)?)$/.test(arg),
  );
  return isInteractive ? [] : [{ kind: 'notInteractive' }];
}

const runners = new Set(['npx', 'uvx', 'bunx', 'pnpx', 'dnx', 'pipx', 'bun', 'pnpm', 'yarn', 'uv']);
const scripts = new Set([
  'node',
  'python',
  'python3',
  'deno',
  'tsx',
  'ruby',
  'java',
  'dotnet',
  'go',
]);
const verbs = new Set(['run', 'dlx', 'exec', 'x', 'tool', 'start']);
const shells = new Set(['cmd', 'sh', 'bash', 'zsh', 'powershell', 'pwsh']);

/** Returns a short name: that of the package, script, image or program. */
function nameOfProgram(command: string, args: readonly string[]): string | undefined {
  const program = baseName(command)
    .replace(/\.(?:exe|cmd|bat)$/i, '')
    .toLowerCase();
  const rest = args.filter((arg) => !arg.startsWith('-') && !verbs.has(arg));
  if (program === 'docker' || program === 'podman') {
    const image = imageOf(args);
    return image === undefined ? undefined : shortName(image);
  }
  if (shells.has(program)) {
    const inner = args.at(-1)?.includes(' ') ? splitLine(args.at(-1) ?? '') : args.slice(1);
    const [next, ...more] = inner ?? [];
    return next === undefined || shells.has(next) ? undefined : nameOfProgram(next, more);
  }
  if (runners.has(program)) return rest[0] === undefined ? undefined : shortName(rest[0]);
  if (scripts.has(program)) return rest[0] === undefined ? undefined : scriptName(rest[0]);
  return shortName(program);
}

/**
 * Options of `docker run` that take a value. The first argument that is neither an option nor a
 * value is the image.
 */
const dockerValues =
  /^(?:-[evpuwlhm]|--(?:env|env-file|volume|mount|publish|network|net|name|user|workdir|label|hostname|memory|cpus|entrypoint|platform|add-host|pull|restart|gpus|device|ipc|pid|tmpfs|dns|security-opt|cap-add|cap-drop))$/;

/** Returns the image of a `docker run`. */
function imageOf(args: readonly string[]): string | undefined {
  let index = args[0] === 'run' ? 1 : 0;
  while (args[index]?.startsWith('-') === true) {
    index += dockerValues.test(args[index] ?? '') ? 2 : 1;
  }
  return args[index];
}

/** Shortens a package name: `@scope/mcp-server-files@1.2` becomes `files`. */
export function shortName(text: string): string | undefined {
  const plain = baseName(text)
    .slice(0, maxNameChars)
    .replace(/(?!^)[@:=<>~!].*$/, '')
    .replace(/\[.*$/, '');
  const short = plain
    .replace(/^@/, '')
    .replace(/^(?:mcp[-_.]server|server[-_.]mcp|mcp|server)[-_.]/i, '')
    .replace(/[-_.](?:mcp[-_.]server|server[-_.]mcp|mcp|server)$/i, '');
  const clean = short.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[-.]+|[-.]+$/g, '');
  if (clean === '' || /^(?:mcp|server)$/i.test(clean)) {
    // For `@scope/mcp` the scope is more specific.
    const scope = /^@?([^/@]+)\//.exec(text)?.[1];
    return scope === undefined ? (clean === '' ? undefined : clean) : shortName(scope);
  }
  return clean;
}

/** Shortens a script path: `/a/weather/dist/index.js` becomes `weather`, `server.mjs` `server`. */
function scriptName(file: string): string | undefined {
  // Code that was passed inline is no file.
  if (/[()"';=]/.test(file)) return undefined;
  const parts = file.split(/[\\/]/).filter((part) => !/^(?:\.{0,2}$|\$)/.test(part));
  const telling = parts.findLast(
    (part) =>
      !/^(?:index|main|server|app|cli|dist|build|src|lib|out|bin|__main__)(?:\.\w+)?$/i.test(part),
  );
  const named = telling ?? parts.at(-1);
  return named === undefined ? undefined : shortName(named.replace(/\.\w{1,4}$/, ''));
}

function baseName(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}

export type PackageKind = 'npm' | 'pypi' | 'docker' | 'nuget';

const npmName = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(?:@[\w.^~*<>=|-]+)?$/i;
const pypiName = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?(?:\[[\w,-]+\])?(?:(?:==|@)[\w.*+!-]+)?$/i;
const dockerName =
  /^(?:[a-z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;

/** Package names are shorter. */
const maxNameChars = 214;

/** Returns true if the text can be the name of such a package. The registry is not asked. */
export function isPackageName(kind: PackageKind, text: string): boolean {
  if (text.length > maxNameChars) return false;
  const pattern = { npm: npmName, pypi: pypiName, docker: dockerName, nuget: pypiName }[kind];
  return pattern.test(text);
}

/**
 * Returns how to run a package without installing it: `npx -y`, `uvx`, `docker run -i --rm`, `dnx`.
 */
export function packageDraft(kind: PackageKind, name: string): ServerDraft {
  return plainDraft(
    {
      npm: { command: 'npx', args: ['-y', name] },
      pypi: { command: 'uvx', args: [name.replace('==', '@')] },
      docker: { command: 'docker', args: ['run', '-i', '--rm', name] },
      nuget: { command: 'dnx', args: [name, '--yes'] },
    }[kind],
    shortName(name),
  );
}

/** A program, its arguments, and the variables before it. */
interface CommandLine {
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

/** Removes the prompt of a shell, which is often copied with its line. */
export function withoutPrompt(line: string): string {
  return line.trim().replace(/^(?:\$|%|>|PS [^>]*>) +/, '');
}

function unquoted(part: string): string {
  return part.replaceAll(/"((?:\\"|[^"])*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
    double === undefined ? (single ?? '') : double.replaceAll('\\"', '"'),
  );
}
