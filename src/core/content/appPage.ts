import type { JsonObject, JsonValue } from '../json/jsonValue';
import { isJsonObject } from '../json/shapes';
import type { ResourceContents } from '../types';
import type { PartNote } from './contentParts';

const pageType = /^text\/html\s*;\s*profile="?mcp-app"?/i;
/** Limits the lines about one page. */
const maxRequests = 20;
/** Limits one line; the count before it includes the rest. */
const maxListed = 30;
const maxValueChars = 200;

/**
 * Says whether a resource is the page of an app, and everything that it asks for by `_meta.ui`:
 * domains of its content security policy, permissions and a domain of its own (SEP-1865). Members
 * that are not known yet are listed, too.
 */
export function appNotes({ uri, mimeType = '', _meta }: ResourceContents): readonly PartNote[] {
  if (!uri.startsWith('ui://') && !pageType.test(mimeType)) return [];
  const ui = memberOf(_meta, 'ui');
  const { permissions, domain } = ui;
  const requests = [
    ...Object.entries(memberOf(ui, 'csp')),
    ...(permissions === undefined ? [] : [['permissions', permissions] as const]),
    ...(domain === undefined ? [] : [['domain', domain] as const]),
  ];
  const notes = requests.slice(0, maxRequests).flatMap(([name, value]) => noteOf(name, value));
  return [{ code: notes.length === 0 ? 'appWithoutRequests' : 'appPage' }, ...notes];
}

function memberOf(object: JsonObject | undefined, name: string): JsonObject {
  const member = object?.[name];
  return member !== undefined && isJsonObject(member) ? member : {};
}

function noteOf(name: string, value: JsonValue): readonly PartNote[] {
  const values = Array.isArray(value) ? value : isJsonObject(value) ? Object.keys(value) : [value];
  if (values.length === 0) return [];
  const texts = values.slice(0, maxListed).map((each) => {
    // Anything else is no domain, and may be of any size and depth.
    return typeof each === 'object' ? '{…}' : String(each).slice(0, maxValueChars);
  });
  const more = values.length > maxListed ? ', …' : '';
  const detail = `${name.slice(0, maxValueChars)} (${values.length}): ${texts.join(', ')}${more}`;
  return [{ code: 'appRequest', detail }];
}
