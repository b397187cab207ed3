import { parseTree, type Node } from 'jsonc-parser';
import type { TextPlace } from '../arguments/argumentsJson';
import { isTooLarge } from './callFileLimits';
import { callSections, maxCalls } from './parseCallFile';

/** A call as far as it can be recognized, even in an incomplete file. */
export interface OutlinedCall {
  /** `''` for the only call of a file without names. */
  readonly name: string;
  /** The range of the whole call. */
  readonly whole: TextPlace;
  readonly server?: string;
  readonly tool?: string;
}

export interface Outline {
  /** True if the calls have names, so that they can be run one after the other. */
  readonly isMany: boolean;
  readonly calls: readonly OutlinedCall[];
}

const nothing: Outline = { isMany: false, calls: [] };

/** Finds the calls in the text of a call file, even a malformed one. Never throws. */
export function readOutline(text: string): Outline {
  if (isTooLarge(text)) return nothing;
  try {
    return read(parseTree(text, [], { allowTrailingComma: true }));
  } catch (error) {
    if (error instanceof RangeError) return nothing;
    throw error;
  }
}

function read(root: Node | undefined): Outline {
  if (root?.type !== 'object') return nothing;
  const calls = memberOf(root, 'calls');
  if (calls === undefined) {
    const isCall = memberOf(root, 'server') !== undefined || memberOf(root, 'tool') !== undefined;
    return { isMany: false, calls: isCall ? [outlined('', root, root)] : [] };
  }
  const properties = callSections.flatMap((section) => {
    const node = memberOf(root, section);
    return node?.type === 'object' ? (node.children ?? []) : [];
  });
  return {
    isMany: true,
    calls: properties.slice(0, maxCalls).flatMap((property) => {
      const [name, value] = property.children ?? [];
      return name === undefined ? [] : [outlined(String(name.value), property, value)];
    }),
  };
}

function outlined(name: string, { offset, length }: Node, call: Node | undefined): OutlinedCall {
  const server = textOf(call, 'server');
  const tool = textOf(call, 'tool');
  return {
    name,
    whole: { offset, length },
    ...(server === undefined ? {} : { server }),
    ...(tool === undefined ? {} : { tool }),
  };
}

function textOf(call: Node | undefined, key: string): string | undefined {
  const value: unknown = call === undefined ? undefined : memberOf(call, key)?.value;
  return typeof value === 'string' ? value : undefined;
}

function memberOf(node: Node, key: string): Node | undefined {
  if (node.type !== 'object') return undefined;
  const property = node.children?.find(({ children }) => children?.[0]?.value === key);
  return property?.children?.[1];
}
