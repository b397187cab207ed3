import {
  type CallFile,
  type CallFileInput,
  type CallFileProblem,
  type FileCall,
  isTooLarge,
} from './callFile';
import {
  maxCalls,
  maxProblems,
  readCallFile,
  type ReadCallFile,
  callSections,
  rankOfPhase,
} from './parseCallFile';
import { parseTree, type Node } from 'jsonc-parser';
import type { TextPlace } from '../arguments/argumentsJson';

/** One block of calls in a Markdown document. */
export interface RunbookBlock {
  /** Offset of its text in the document. */
  readonly offset: number;
  /** Has the same length as in the document. */
  readonly text: string;
  /** The word after `mcpcall`, which names the block's only call. */
  readonly name?: string;
}

/** Longer documents have no blocks. */
const maxRunbookChars = 1024 * 1024;
/** Later ones are treated as plain text. */
const maxBlocks = 200;
const language = 'mcpcall';

/**
 * Finds the fenced blocks of a Markdown document that begin with `mcpcall`: at most 200, in at most
 * 1 Mi characters. Fences inside other fenced blocks are text. An unclosed block extends to the end
 * of the document, as in Markdown.
 */
export function findRunbookBlocks(text: string): readonly RunbookBlock[] {
  if (text.length > maxRunbookChars || !text.includes(language)) return [];
  const blocks: RunbookBlock[] = [];
  let fence: { readonly mark: string; readonly begin: number; readonly info: string } | undefined;
  const close = (end: number): void => {
    if (fence === undefined) return;
    const [word, name] = fence.info.split(/\s+/);
    if (word === language && blocks.length < maxBlocks) {
      const block = { offset: fence.begin, text: text.slice(fence.begin, end) };
      blocks.push(name === undefined ? block : { ...block, name });
    }
    fence = undefined;
  };
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const next = newline < 0 ? text.length : newline + 1;
    const line = text.slice(start, next).trim();
    const [mark = ''] = /^(?:`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark.startsWith(fence.mark) && mark === line) close(start);
    } else if (mark !== '') {
      const info = line.slice(mark.length).trim();
      // Markdown treats this as inline code.
      if (!mark.startsWith('`') || !info.includes('`')) fence = { mark, begin: next, info };
    }
    start = next;
  }
  close(text.length);
  return blocks;
}

/**
 * Reads the calls of all blocks of a Markdown document as one call file: later blocks can use the
 * answers of earlier ones, and names are unique across the document. A block with problems has no
 * calls, but the others do. A document with more than 1,000 calls has none, and at most 100
 * problems are reported. Never throws.
 */
export function readRunbook(text: string, blocks = findRunbookBlocks(text)): ReadCallFile {
  const top = { offset: blocks[0]?.offset ?? 0, length: 0 };
  const none = (code: 'tooLarge' | 'tooManyCalls'): ReadCallFile => ({
    problems: [{ code, ...top }],
    placeOf: () => top,
  });
  if (areTooLarge(blocks)) return none('tooLarge');
  const reader = new RunbookReader();
  const reads: ReadCallFile[] = [];
  for (const [index, block] of blocks.entries()) {
    reads.push(reader.read(block, index));
    // The calls that are left out might clean up, so none is run.
    if (reader.calls.length > maxCalls) return none('tooManyCalls');
  }
  const { calls, inputs } = reader;
  const problems = reader.problems.slice(0, maxProblems);
  const file: CallFile = { inputs, calls: inOrder(calls) };
  return {
    ...(calls.length === 0 ? {} : { file }),
    problems,
    placeOf: (pointer, keyword) => {
      const [, index = '', below = ''] = /^\/(\d+)(.*)$/s.exec(pointer) ?? [];
      const offset = blocks[Number(index)]?.offset ?? 0;
      const place = reads[Number(index)]?.placeOf(below, keyword) ?? { offset: 0, length: 0 };
      return { offset: place.offset + offset, length: place.length };
    },
  };
}

/** Combines the blocks of a document, one after the other. */
class RunbookReader {
  readonly problems: CallFileProblem[] = [];
  readonly inputs = new Map<string, CallFileInput>();
  readonly calls: FileCall[] = [];

  read({ offset, text, name }: RunbookBlock, index: number): ReadCallFile {
    const names = this.calls.map((call) => call.name);
    const read = readCallFile(text, this.calls);
    for (const problem of read.problems) {
      this.problems.push({ ...problem, offset: problem.offset + offset });
    }
    const named = (read.file?.calls ?? []).map((call) =>
      call.name === '' ? { ...call, name: nameOf(name, index) } : call,
    );
    const twice = named.find((call) => names.includes(call.name));
    if (twice !== undefined) {
      const place = read.placeOf(twice.pointer);
      const at = { offset: place.offset + offset, length: place.length };
      this.problems.push({ code: 'duplicateName', detail: twice.name, ...at });
      return read;
    }
    for (const call of named) this.calls.push({ ...call, pointer: `/${index}${call.pointer}` });
    for (const [id, input] of read.file?.inputs ?? []) {
      const isPassword = input.isPassword || this.inputs.get(id)?.isPassword === true;
      this.inputs.set(id, { ...input, isPassword });
    }
    return read;
  }
}

/** Finds the calls in the blocks of a Markdown document, even malformed ones. Never throws. */
export function readRunbookOutline(text: string, blocks = findRunbookBlocks(text)): Outline {
  if (areTooLarge(blocks)) return { isMany: true, calls: [] };
  const calls = blocks.flatMap(({ offset, text: own, name }, index) =>
    readOutline(own).calls.map((call) => ({
      ...call,
      name: call.name === '' ? nameOf(name, index) : call.name,
      whole: { offset: call.whole.offset + offset, length: call.whole.length },
    })),
  );
  return { isMany: true, calls: calls.slice(0, maxCalls) };
}

/** The blocks are read as often as a call file, so together they have the same limits. */
function areTooLarge(blocks: readonly RunbookBlock[]): boolean {
  return isTooLarge(blocks.map(({ text }) => text).join('\n'));
}

function nameOf(name: string | undefined, index: number): string {
  return name ?? `#${index + 1}`;
}

function inOrder(calls: readonly FileCall[]): readonly FileCall[] {
  return calls.toSorted((one, other) => rankOfPhase(one.phase) - rankOfPhase(other.phase));
}

/** A call as far as it can be recognized, even in an incomplete file. */
export interface OutlinedCall {
  /** `''` for the only call of a file without names. */
  readonly name: string;
  /** The range of the whole call. */
  readonly whole: TextPlace;
  readonly server?: string;
  readonly tool?: string;
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly target?: string;
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
    return outlineOf(parseTree(text, [], { allowTrailingComma: true }));
  } catch (error) {
    if (error instanceof RangeError) return nothing;
    throw error;
  }
}

function outlineOf(root: Node | undefined): Outline {
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
  const target = tool ?? textOf(call, 'resource') ?? textOf(call, 'prompt');
  return {
    name,
    whole: { offset, length },
    ...(server === undefined ? {} : { server }),
    ...(tool === undefined ? {} : { tool }),
    ...(target === undefined ? {} : { target }),
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
