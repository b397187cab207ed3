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
  const context: Record<string, string | string[]> = Object.create(null);
  for (const { name, isList } of variables) {
    const value = wellFormed(Object.hasOwn(values, name) ? (values[name] ?? '') : '');
    if (value !== '') context[name] = isList ? value.split(',') : value;
  }
  const counted = wellFormed(template).replace(
    /\{([+#./;?&]?)([^{}]+)\}/g,
    (_, operator: string, list: string) => {
      const items = list.split(',').map((item) => withUnits(item, context));
      return `{${operator}${items.join(',')}}`;
    },
  );
  return parseTemplate(counted).expand(context);
}

/**
 * Rewrites the length of a prefix: the library counts UTF-16 code units, and RFC 6570 counts
 * characters.
 */
function withUnits(item: string, context: Readonly<Record<string, string | string[]>>): string {
  const [, name = '', maxChars] = variablePattern.exec(item) ?? [];
  const value = context[name];
  if (maxChars === undefined || typeof value !== 'string') return item;
  return `${name}:${Array.from(value).slice(0, Number(maxChars)).join('').length}`;
}

/** Lone surrogates cannot be percent-encoded. */
function wellFormed(text: string): string {
  return Buffer.from(text.slice(0, maxValueChars)).toString();
}

function broken(place: string): UriTemplate {
  return { kind: 'broken', place: place.slice(0, maxPlaceChars) };
}
