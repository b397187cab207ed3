import { isObject } from '../../core/json/shapes';
import { draftOfEntry } from './clientEntry';
import type { ServerDraft } from './draft';

/** Why a link is refused; sentences are made in ui/. */
export type LinkProblem =
  | { readonly kind: 'unknownPath' | 'tooLong' | 'hiddenCharacters' | 'noServer' | 'badName' }
  | { readonly kind: 'unknownParameter'; readonly name: string };

export const maxLinkChars = 8_192;
const maxNameChars = 100;
const parameters = ['name', 'config'];

/**
 * What a link `vscode://toolgate.toolgate/add?name=…&config={…}` wants to have added. Anybody can
 * write one, so whatever is more than a name and an entry that a person can read is refused.
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
  const value = parsed(config);
  const own = isObject(value) && typeof value['name'] === 'string' ? value['name'] : undefined;
  const draft = draftOfEntry(name?.trim() ?? own?.slice(0, maxNameChars), value);
  return draft ?? { kind: 'noServer' };
}

export function isLinkProblem(link: ServerDraft | LinkProblem): link is LinkProblem {
  return 'kind' in link;
}

/** Everything that is not drawn or changes how others are drawn, escaped in the JSON or not. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

/** With the escapes of JSON resolved; the blanks between its parts are no content. */
function textOf(config: string): string {
  const value = parsed(config);
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

function parsed(config: string): unknown {
  try {
    return JSON.parse(config);
  } catch {
    return undefined;
  }
}
