import { isObject } from '../../core/json/shapes';
import { draftFromEntry } from './clientEntry';
import type { ServerDraft } from './draft';
import { draftsFromJson } from './jsonDrafts';
import { anyValue, parseText } from '../../core/parse/parsers';

/** Why a link is refused. `ui` makes the sentences. */
export type LinkProblem =
  | { readonly kind: 'unknownPath' | 'tooLong' | 'hiddenCharacters' | 'noServer' | 'badName' }
  | { readonly kind: 'unknownParameter'; readonly name: string };

export const maxLinkChars = 8_192;
const maxNameChars = 100;
const parameters = ['name', 'config'];

/**
 * Returns the server that a link `vscode://toolgate.toolgate/add?name=…&config={…}` adds. Any
 * website can contain a link, so everything except a name and a readable entry is refused.
 */
export function parseLink(pathOfLink: string, query: string): ServerDraft | LinkProblem {
  if (pathOfLink !== '/add') return { kind: 'unknownPath' };
  if (query.length > maxLinkChars) return { kind: 'tooLong' };
  const given = new URLSearchParams(query);
  for (const name of given.keys()) {
    if (!parameters.includes(name) || given.getAll(name).length > 1) {
      return { kind: 'unknownParameter', name };
    }
  }
  const name = given.get('name');
  const config = given.get('config') ?? '';
  if (hidden.test((name ?? '') + textOf(config))) return { kind: 'hiddenCharacters' };
  if (name !== null && (name.trim() === '' || name.length > maxNameChars))
    return { kind: 'badName' };
  const value = parseText(config, anyValue);
  const own = isObject(value) && typeof value['name'] === 'string' ? value['name'] : undefined;
  const draft = draftFromEntry(name?.trim() ?? own?.slice(0, maxNameChars), value);
  return draft ?? { kind: 'noServer' };
}

export function isLinkProblem(link: ServerDraft | LinkProblem): link is LinkProblem {
  return 'kind' in link;
}

/**
 * Matches invisible characters and those that change how others are drawn, escaped in the JSON or
 * not.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

/** Resolves JSON escapes. Whitespace between tokens is ignored. */
function textOf(config: string): string {
  const value = parseText(config, anyValue);
  const texts: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') texts.push(next);
    else if (typeof next === 'object' && next !== null) {
      open.push(...Object.keys(next), ...Object.values(next));
    }
  }
  return texts.join('');
}

/**
 * Returns the server behind a copied “Install in …” link: of VS Code (also through its redirect
 * pages), of Cursor, or of Toolgate. Returns `undefined` for any other address.
 */
export function draftFromInstallLink(text: string): ServerDraft | undefined {
  const given = text.trim();
  if (/\s/.test(given)) return undefined;
  const [, json] = /^vscode(?:-insiders)?:mcp\/install\?(.+)$/s.exec(given) ?? [];
  if (json !== undefined) return draftsFromJson(decoded(json) ?? '')[0];
  if (!URL.canParse(given)) return undefined;
  const { host, protocol, pathname, searchParams } = new URL(given);
  const inner = searchParams.get('url');
  if (/(?:^|\.)vscode\.dev$/.test(host) && pathname.startsWith('/redirect') && inner !== null) {
    return draftFromInstallLink(inner);
  }
  const isInstallPage =
    protocol === 'cursor:' ||
    protocol === 'vscode:' ||
    protocol === 'vscode-insiders:' ||
    /(?:^|\.)(?:vscode\.dev|cursor\.com)$/.test(host);
  const config = searchParams.get('config');
  if (!isInstallPage || config === null) return undefined;
  const [draft] = draftsFromJson(config.trimStart().startsWith('{') ? config : fromBase64(config));
  const name = searchParams.get('name');
  return draft === undefined || name === null ? draft : { ...draft, name };
}

function fromBase64(text: string): string {
  // A plus sign in a query is decoded as a space.
  return Buffer.from(text.replaceAll(' ', '+'), 'base64').toString('utf8');
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
