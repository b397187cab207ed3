import { draftOfAddCommand } from './addCommand';
import { parseCommandLine } from './commandLine';
import { plainDraft, type ServerDraft } from './draft';
import { draftOfInstallLink } from './installLink';
import { draftsOfJson } from './jsonDrafts';
import { isPackageName, packageDraft, type PackageKind } from './packageDraft';
import { programDraft, shortName } from './programDraft';

/** What a text was taken for. */
export type RecognisedKind =
  'json' | 'installLink' | 'addCommand' | 'address' | 'commandLine' | PackageKind;

export interface Recognised {
  readonly kind: RecognisedKind;
  /** At least one; several where a text holds several servers, or several ways to run one. */
  readonly drafts: readonly ServerDraft[];
}

/** No command line or address is longer; JSON may be. */
const maxLineChars = 16_384;

/**
 * What a pasted or typed text may mean, the likeliest first: configuration of any client, the link
 * of an install button, the command that adds a server elsewhere, an address, a command line, or the
 * name of a package or an image. Only a name can mean several things. Empty where it means nothing.
 * Nobody is asked and nothing is fetched.
 */
export function recognise(text: string): readonly Recognised[] {
  const given = unfenced(text).trim();
  if (given === '') return [];
  const json = draftsOfJson(given);
  if (json.length > 0) return [{ kind: 'json', drafts: json }];
  if (given.length > maxLineChars) return [];
  // Text that begins so is JSON that is broken, or holds no server.
  if (/^[{["]/.test(given) && !/^"[^"]*"(?:\s|$)/.test(given)) return [];
  const link = draftOfInstallLink(given);
  if (link !== undefined) return [{ kind: 'installLink', drafts: [link] }];
  const add = draftOfAddCommand(given);
  if (add !== undefined) return [{ kind: 'addCommand', drafts: [add] }];
  return ofPage(given) ?? ofAddress(given) ?? ofInstallCommand(given) ?? ofWords(given);
}

/** Without the fence of a code block that was copied with it. */
function unfenced(text: string): string {
  return text.trim().replace(/^(`{3,})[^\n`]*\n([^]*?)\n?\1$/, '$2');
}

const one = (kind: PackageKind, name: string): Recognised => ({
  kind,
  drafts: [packageDraft(kind, name)],
});

const pages: readonly (readonly [PackageKind, RegExp])[] = [
  ['npm', /^https?:\/\/(?:www\.)?npmjs\.com\/package\/((?:@[^/?#]+\/)?[^/?#]+)/],
  ['pypi', /^https?:\/\/pypi\.org\/project\/([^/?#]+)/],
  ['docker', /^https?:\/\/hub\.docker\.com\/(?:r|mcp\/server)\/([^/?#]+(?:\/[^/?#]+)?)/],
  ['nuget', /^https?:\/\/(?:www\.)?nuget\.org\/packages\/([^/?#]+)/],
];

/** The page of a package stands for the package. */
function ofPage(text: string): readonly Recognised[] | undefined {
  for (const [kind, pattern] of pages) {
    const name = pattern.exec(text)?.[1];
    if (name !== undefined && isPackageName(kind, name)) return [one(kind, name)];
  }
  return undefined;
}

function ofAddress(text: string): readonly Recognised[] | undefined {
  if (!/^[a-z][\w+.-]*:\/\//i.test(text) || /\s/.test(text)) return undefined;
  if (!URL.canParse(text)) return [];
  const { protocol, hostname, pathname } = new URL(text);
  if (!/^https?:$/.test(protocol)) return [];
  // A repository: what it says how to start the server is wanted.
  if (/^(?:www\.)?(?:github|gitlab)\.com$/.test(hostname)) return [];
  const parts = hostname
    .split('.')
    .filter((part) => !/^(?:mcp|www|api|com|org|net|io|dev|ai)$/.test(part));
  const name = /^[\d.:[\]]+$/.test(hostname) ? undefined : shortName(parts.at(-1) ?? hostname);
  const type = pathname.endsWith('/sse') ? 'sse' : 'http';
  return [{ kind: 'address', drafts: [plainDraft({ type, url: text }, name)] }];
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

/** How a package is installed: here it is run without that. */
function ofInstallCommand(text: string): readonly Recognised[] | undefined {
  for (const [kind, pattern] of installs) {
    const name = pattern.exec(text.replace(/^\$ +/, ''))?.[1];
    if (name !== undefined && isPackageName(kind, name)) return [one(kind, name)];
  }
  return undefined;
}

function ofWords(text: string): readonly Recognised[] {
  const line = parseCommandLine(text);
  if (line === undefined) return [];
  const program: Recognised = { kind: 'commandLine', drafts: [programDraft(line)] };
  const isName = line.args.length === 0 && Object.keys(line.env).length === 0;
  if (!isName || text !== line.command) return [program];
  const packages = packageKindsOf(text).map((kind) => one(kind, text));
  // A path is a program; anything with a slash or an at sign is hardly one.
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
