import {
  parseCommandLine,
  splitLine,
  programDraft,
  shortName,
  isPackageName,
  packageDraft,
  type PackageKind,
  withoutPrompt,
} from './programDraft';
import { plainDraft, type ServerDraft } from './draft';
import { draftFromInstallLink } from './serverLinks';
import { draftsFromJson } from './jsonDrafts';
import { draftFromEntry } from './clientEntry';

/** The kind of text that was recognized. */
export type RecognizedKind =
  | 'json'
  | 'installLink'
  | 'addCommand'
  | 'address'
  | 'commandLine'
  | PackageKind;

export interface RecognizedText {
  readonly kind: RecognizedKind;
  /** At least one; several if the text holds several servers or several ways to run one. */
  readonly drafts: readonly ServerDraft[];
}

/** Command lines and addresses are shorter. JSON may be longer. */
const maxLineChars = 16_384;

/**
 * Returns the possible meanings of a pasted or typed text, the likeliest first: configuration of
 * any client, the link of an install button, the command that adds a server elsewhere, an address,
 * a command line, or the name of a package or image. Only a name can have several meanings. Returns
 * an empty list for other texts. Makes no requests.
 */
export function recognize(text: string): readonly RecognizedText[] {
  const given = unfenced(text).trim();
  if (given === '') return [];
  const json = draftsFromJson(given);
  if (json.length > 0) return [{ kind: 'json', drafts: json }];
  if (given.length > maxLineChars) return [];
  // A text that begins like this is broken JSON, or holds no server.
  if (/^[{["]/.test(given) && !/^"[^"]*"(?:\s|$)/.test(given)) return [];
  const link = draftFromInstallLink(given);
  if (link !== undefined) return [{ kind: 'installLink', drafts: [link] }];
  const add = draftOfAddCommand(given);
  if (add !== undefined) return [{ kind: 'addCommand', drafts: [add] }];
  return (
    ofPage(given) ?? ofAddress(given) ?? ofInstallCommand(given) ?? ofHost(given) ?? ofWords(given)
  );
}

/** Removes the fence of a copied code block. */
function unfenced(text: string): string {
  return text.trim().replace(/^(`{3,})[^\n`]*\n([^]*?)\n?\1$/, '$2');
}

const one = (kind: PackageKind, name: string): RecognizedText => ({
  kind,
  drafts: [packageDraft(kind, name)],
});

const pages: readonly (readonly [PackageKind, RegExp])[] = [
  ['npm', /^https?:\/\/(?:www\.)?npmjs\.com\/package\/((?:@[^/?#]+\/)?[^/?#]+)/],
  ['pypi', /^https?:\/\/pypi\.org\/project\/([^/?#]+)/],
  ['docker', /^https?:\/\/hub\.docker\.com\/(?:r|mcp\/server)\/([^/?#]+(?:\/[^/?#]+)?)/],
  ['nuget', /^https?:\/\/(?:www\.)?nuget\.org\/packages\/([^/?#]+)/],
];

/** Treats the page of a package as the package. */
function ofPage(text: string): readonly RecognizedText[] | undefined {
  for (const [kind, pattern] of pages) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined && isPackageName(kind, name)) return [one(kind, name)];
  }
  return undefined;
}

/** True for the page of a repository, which does not say how to start its server. */
export function isRepository(text: string): boolean {
  return /^https?:\/\/(?:www\.)?(?:github|gitlab)\.com(?:[/:?#]|$)/i.test(text.trim());
}

function ofAddress(text: string): readonly RecognizedText[] | undefined {
  if (!/^[a-z][\w+.-]*:\/\//i.test(text) || /\s/.test(text)) return undefined;
  if (!URL.canParse(text)) return [];
  const { protocol, hostname, pathname } = new URL(text);
  if (!/^https?:$/.test(protocol)) return [];
  if (isRepository(text)) return [];
  const parts = hostname
    .split('.')
    .filter((part) => !/^(?:mcp|www|api|com|org|net|io|dev|ai)$/.test(part));
  const isLocal = /^(?:127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/.test(hostname);
  const isNumber = /^[\d.]+$|^\[/.test(hostname);
  const name = isLocal ? 'localhost' : shortName(isNumber ? hostname : (parts.at(-1) ?? hostname));
  const type = pathname.endsWith('/sse') ? 'sse' : 'http';
  return [{ kind: 'address', drafts: [plainDraft({ type, url: text }, name)] }];
}

/** Matches this machine, or an IP address, which is rarely the name of an image. */
const numberedHost =
  /^(?:localhost|(?:\d{1,3}\.){3}\d{1,3}|\[[\da-f:]+\])(?::\d{1,5})?(?:[/?]\S*)?$/i;
const mcpEndpoint = /^[\w-]+(?:\.[\w-]+)+(?::\d{1,5})?\/(?:\S*\/)?(?:mcp|sse)\/?$/i;
const imageRegistry =
  /^(?:(?:ghcr|docker|quay|gcr)\.io|mcr\.microsoft\.com|\S*\.(?:azurecr\.io|amazonaws\.com|pkg\.dev))\//i;

/** Treats an address without `http://` as an address first. It can also be the name of an image. */
function ofHost(text: string): readonly RecognizedText[] | undefined {
  const isNumbered = numberedHost.test(text);
  if (!isNumbered && (!mcpEndpoint.test(text) || imageRegistry.test(text))) return undefined;
  const address = ofAddress(`${isNumbered ? 'http' : 'https'}://${text}`);
  return address?.length === 1 ? [...address, ...ofWords(text)] : undefined;
}

const installs: readonly (readonly [PackageKind, RegExp])[] = [
  ['npm', /^(?:npm (?:i|install)|pnpm add|yarn add|bun add)(?: -\S+)* (\S+)$/],
  [
    'pypi',
    /^(?:pip3? install|pipx install|uv pip install|uv tool install|uv add)(?: -\S+)* (\S+)$/,
  ],
  ['docker', /^docker pull (\S+)$/],
  ['npm', /^npm:(\S+)$/],
  ['pypi', /^pypi:(\S+)$/],
  ['docker', /^(?:docker|oci):(\S+)$/],
];

/** Converts an install command into a command that runs the package without installing it. */
function ofInstallCommand(text: string): readonly RecognizedText[] | undefined {
  for (const [kind, pattern] of installs) {
    const name = pattern.exec(withoutPrompt(text))?.[1];
    if (name !== undefined && isPackageName(kind, name)) return [one(kind, name)];
  }
  return undefined;
}

function ofWords(text: string): readonly RecognizedText[] {
  const line = parseCommandLine(text);
  if (line === undefined) return [];
  const program: RecognizedText = { kind: 'commandLine', drafts: [programDraft(line)] };
  const isName = line.args.length === 0 && Object.keys(line.env).length === 0;
  if (!isName || text !== line.command) return [program];
  const packages = packageKindsOf(text).map((kind) => one(kind, text));
  // A path is a program. Other texts with a slash or an at sign are probably packages.
  return /^(?:[.~/\\$]|[a-z]:)|\.(?:exe|cmd|bat|sh|py|js|ts)$/i.test(text)
    ? [program]
    : /[/@:]|==/.test(text)
      ? [...packages, program]
      : [program, ...packages];
}

function packageKindsOf(text: string): PackageKind[] {
  const isScoped = text.startsWith('@');
  const isImage = /[/:]/.test(text) && !isScoped;
  if (isImage) return isPackageName('docker', text) ? ['docker'] : [];
  const kinds: PackageKind[] = isScoped ? ['npm'] : ['npm', 'pypi'];
  return kinds.filter((kind) => isPackageName(kind, text));
}

/**
 * Returns the server that the command of another program would add: `claude mcp add …` (also of
 * Codex and Gemini), `claude mcp add-json …`, `code --add-mcp …`. Documentation of servers often
 * shows these commands. Returns `undefined` for any other line.
 */
function draftOfAddCommand(line: string): ServerDraft | undefined {
  const parts = splitLine(withoutPrompt(line));
  const [program, ...rest] = parts ?? [];
  if (program === undefined) return undefined;
  const addMcp = rest.findIndex((part) => part === '--add-mcp');
  if (/^(?:code(?:-insiders)?|codium|cursor)$/.test(program) && addMcp >= 0) {
    return draftsFromJson(rest[addMcp + 1] ?? '')[0];
  }
  if (!/^(?:claude|codex|gemini)$/.test(program) || rest[0] !== 'mcp') return undefined;
  if (rest[1] === 'add-json') {
    const { words } = addOptions(rest.slice(2));
    const at = words.findIndex((word) => /^\s*\{/.test(word));
    const [draft] = draftsFromJson(words[at] ?? '');
    const name = words[at - 1];
    return draft === undefined || name === undefined ? draft : { ...draft, name };
  }
  return rest[1] === 'add' ? draftOfAdd(rest.slice(2)) : undefined;
}

/** Options that take a value, and that no entry can express. */
const foreignOptions = /^--(?:client-id|callback-port|timeout|include-tools|exclude-tools)$/;
/** The other options that take a value. */
const valueOptions =
  /^(?:-s|--scope|-t|--transport|-e|--env|-H|--header|--url|--description|--bearer-token-env-var)$/;

/** One option can be followed by several of these, before a name or a command. */
const listedValues: Readonly<Record<string, RegExp>> = {
  '-e': /^\w+=/,
  '--env': /^\w+=/,
  '-H': /^[\w-]+:\s/,
  '--header': /^[\w-]+:\s/,
};

/** Separates the options that take a value from the words. Other options are left out. */
function addOptions(parts: readonly string[]): {
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly words: readonly string[];
} {
  const given = new Map<string, string[]>();
  const words: string[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? '';
    // Options may follow an address.
    if (part === '--' || (words.length === 2 && !isAddress(words[1]))) {
      // The command begins here; its options are its own.
      words.push(...parts.slice(part === '--' ? index + 1 : index));
      break;
    }
    const [, option = part, attached] = /^(--?[a-z-]+)=(.*)$/s.exec(part) ?? [];
    if (!valueOptions.test(option) && !foreignOptions.test(option)) {
      if (!part.startsWith('-')) words.push(part);
      continue;
    }
    const values = [attached ?? parts[(index += 1)] ?? ''];
    while (listedValues[option]?.test(parts[index + 1] ?? '') === true) {
      values.push(parts[(index += 1)] ?? '');
    }
    given.set(option, [...(given.get(option) ?? []), ...values]);
  }
  return { given, words };
}

function draftOfAdd(parts: readonly string[]): ServerDraft | undefined {
  const { given, words } = addOptions(parts);
  const valuesOf = (...names: readonly string[]) => names.flatMap((name) => given.get(name) ?? []);
  const [name, command, ...args] = words;
  const url = valuesOf('--url')[0] ?? (isAddress(command) ? command : undefined);
  const [type] = valuesOf('-t', '--transport');
  if (name === undefined) return undefined;
  // Unknown keys get a note.
  const foreign = Object.fromEntries([...given].filter(([option]) => foreignOptions.test(option)));
  const bearer = valuesOf('--bearer-token-env-var').map(
    (variable) => `Authorization: Bearer \${env:${variable}}`,
  );
  const headers = pairs([...bearer, ...valuesOf('-H', '--header')], ':');
  const env = pairs(valuesOf('-e', '--env'), '=');
  const how = url === undefined ? { command, args, env } : { type, url, headers };
  return draftFromEntry(name, { ...foreign, ...how });
}

function isAddress(text: string | undefined): boolean {
  return text !== undefined && /^https?:\/\//.test(text);
}

function pairs(texts: readonly string[], separator: string): Record<string, string> {
  return Object.fromEntries(
    texts.flatMap((text): [string, string][] => {
      const at = text.indexOf(separator);
      return at < 1 ? [] : [[text.slice(0, at).trim(), text.slice(at + 1).trim()]];
    }),
  );
}
