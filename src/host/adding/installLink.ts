import type { ServerDraft } from './draft';
import { draftsOfJson } from './jsonDrafts';

/**
 * The server behind an “Install in …” button, whose address was copied: the links of VS Code (also
 * through its redirecting pages), of Cursor, and our own. `undefined` for any other address.
 */
export function draftOfInstallLink(text: string): ServerDraft | undefined {
  const given = text.trim();
  if (/\s/.test(given)) return undefined;
  const [, json] = /^vscode(?:-insiders)?:mcp\/install\?(.+)$/s.exec(given) ?? [];
  if (json !== undefined) return draftsOfJson(decoded(json) ?? '')[0];
  if (!URL.canParse(given)) return undefined;
  const { host, protocol, pathname, searchParams } = new URL(given);
  const inner = searchParams.get('url');
  if (/(?:^|\.)vscode\.dev$/.test(host) && pathname.startsWith('/redirect') && inner !== null) {
    return draftOfInstallLink(inner);
  }
  const isInstallPage =
    protocol === 'cursor:' ||
    protocol === 'vscode:' ||
    protocol === 'vscode-insiders:' ||
    /(?:^|\.)(?:vscode\.dev|cursor\.com)$/.test(host);
  const config = searchParams.get('config');
  if (!isInstallPage || config === null) return undefined;
  const [draft] = draftsOfJson(config.trimStart().startsWith('{') ? config : fromBase64(config));
  const name = searchParams.get('name');
  return draft === undefined || name === null ? draft : { ...draft, name };
}

function fromBase64(text: string): string {
  // A plus sign comes out of a query as a blank.
  return Buffer.from(text.replaceAll(' ', '+'), 'base64').toString('utf8');
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
