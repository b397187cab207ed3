import { parsePattern } from '../../../core/bounds/parsePattern';
import { parseHostPattern, type HostPattern } from './hosts';
import { parsePointer } from './pointerPattern';
import type { Complain, Condition, PlaceConditions } from './rule';
import { isObject } from '../../../core/json/shapes';

/** What can be read of `when`; for the rest there are complaints. Empty objects mean nothing. */
export function parseWhen(value: unknown, complain: Complain): readonly PlaceConditions[] {
  if (!isObject(value) || Object.keys(value).length === 0) {
    complain('invalidWhen', ['when']);
    return [];
  }
  return Object.entries(value).flatMap(([text, given]) => {
    const pointer = parsePointer(text);
    if (pointer === undefined) {
      complain('invalidPointer', ['when', text], text);
      return [];
    }
    const conditions = parseConditions(given, (code, path, detail) =>
      complain(code, ['when', text, ...path], detail),
    );
    return conditions.length === 0 ? [] : [{ pointer, conditions }];
  });
}

function parseConditions(value: unknown, complain: Complain): readonly Condition[] {
  if (!isObject(value) || Object.keys(value).length === 0) {
    complain('invalidCondition', []);
    return [];
  }
  return Object.entries(value).flatMap(([kind, given]) => {
    const condition = parseCondition(kind, given, complain);
    return condition === undefined ? [] : [condition];
  });
}

function parseCondition(kind: string, value: unknown, complain: Complain): Condition | undefined {
  switch (kind) {
    case 'equals':
      return { kind, value };
    case 'matches': {
      const pattern = typeof value === 'string' ? parsePattern(value) : undefined;
      if (pattern !== undefined) return { kind, pattern };
      complain('invalidRegex', [kind]);
      return undefined;
    }
    case 'startsWith':
      if (typeof value === 'string' && value !== '') return { kind, text: value };
      break;
    case 'insideWorkspace':
      if (typeof value === 'boolean') return { kind, isInside: value };
      break;
    case 'exists':
      if (typeof value === 'boolean') return { kind, isThere: value };
      break;
    case 'hostIn': {
      const hosts = parseHosts(value, complain);
      return hosts === undefined ? undefined : { kind, hosts };
    }
    default:
      complain('unknownKey', [kind], kind);
      return undefined;
  }
  complain('invalidCondition', [kind]);
  return undefined;
}

/** One that cannot be read might have been any host, so then the condition is none. */
function parseHosts(value: unknown, complain: Complain): readonly HostPattern[] | undefined {
  if (!Array.isArray(value) || value.length === 0) {
    complain('invalidCondition', ['hostIn']);
    return undefined;
  }
  const hosts = value.map((each: unknown) =>
    typeof each === 'string' ? parseHostPattern(each) : undefined,
  );
  const readable = hosts.filter((host) => host !== undefined);
  if (readable.length === hosts.length) return readable;
  complain('invalidHost', ['hostIn', hosts.indexOf(undefined)]);
  return undefined;
}
