import { parseTemplate } from 'url-template';

/** One variable of a URI template. */
export interface TemplateVariable {
  readonly name: string;
  /** True for several values, separated in the URI (`{path*}`). */
  readonly isList: boolean;
  /** True if the URI is meaningful without it, such as a part of the query. */
  readonly isOptional: boolean;
  /** The maximum length that is used (`{name:3}`). */
  readonly maxChars?: number;
}

export type UriTemplate =
  | {
      readonly kind: 'usable';
      /** Distinct, in order of appearance. */
      readonly variables: readonly TemplateVariable[];
    }
  /** `place` is the part that RFC 6570 does not allow. Untrusted. */
  | { readonly kind: 'broken'; readonly place: string };

export type TemplateValues = Readonly<Record<string, string>>;

const maxTemplateChars = 8_000;
const maxVariables = 50;
/** Servers refuse longer URIs. */
export const maxValueChars = 8_000;
const maxPlaceChars = 200;

const expressionPattern = /^([+#./;?&]?)(.+)$/;
// Also allows a hyphen, which is not in the RFC but used by servers.
const variablePattern = /^((?:[\w.-]|%[0-9A-Fa-f]{2})+)(?::([1-9]\d{0,3})|(\*))?$/;

/** Parses the variables of a template. Spec: RFC 6570 */
export function readUriTemplate(template: string): UriTemplate {
  // Lone surrogates cannot be part of a URI.
  if (template.length > maxTemplateChars || /\p{Cs}/u.test(template)) return broken(template);
  const variables = new Map<string, TemplateVariable>();
  for (const part of template.split(/(\{[^{}]*\})/)) {
    if (!part.startsWith('{') || !part.endsWith('}')) {
      if (/[{}]/.test(part)) return broken(part);
      continue;
    }
    const [, operator = '', list = ''] = expressionPattern.exec(part.slice(1, -1)) ?? [];
    for (const text of list.split(',')) {
      const [, name, maxChars, star] = variablePattern.exec(text) ?? [];
      if (name === undefined) return broken(part);
      if (variables.has(name)) continue;
      variables.set(name, {
        name,
        isList: star !== undefined,
        isOptional: operator !== '' && '?&;#'.includes(operator),
        ...(maxChars === undefined ? {} : { maxChars: Number(maxChars) }),
      });
    }
  }
  if (variables.size > maxVariables) return broken(template);
  return { kind: 'usable', variables: [...variables.values()] };
}

/**
 * Expands a template with percent-encoded values. `''` counts as not given; the items of a list are
 * separated by commas.
 */
export function expandUriTemplate(template: string, values: TemplateValues): string {
  const read = readUriTemplate(template);
  const variables = read.kind === 'usable' ? read.variables : [];
  const prefixes = [...template.matchAll(prefixPattern)];
  const context: Record<string, string | string[]> = Object.create(null);
  for (const { name, isList } of variables) {
    const given = wellFormed(Object.hasOwn(values, name) ? (values[name] ?? '') : '');
    const value = prefixes
      .filter(([, each]) => each === name)
      .reduce((text, [, , chars]) => withoutHalfAt(text, Number(chars)), given);
    if (value !== '') context[name] = isList ? value.split(',') : value;
  }
  return parseTemplate(wellFormed(template)).expand(context);
}

const prefixPattern = /((?:[\w.-]|%[0-9A-Fa-f]{2})+):([1-9]\d{0,3})(?=[,}])/g;

/** Cuts before a surrogate pair that the library would split. */
function withoutHalfAt(text: string, end: number): string {
  const isCut = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(end - 1, end + 1));
  return isCut ? text.slice(0, end - 1) : text;
}

/** Lone surrogates cannot be percent-encoded. */
function wellFormed(text: string): string {
  return Buffer.from(text.slice(0, maxValueChars)).toString();
}

function broken(place: string): UriTemplate {
  return { kind: 'broken', place: place.slice(0, maxPlaceChars) };
}
