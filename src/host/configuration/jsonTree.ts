import { hasTooManyTokens } from '../../core/arguments/argumentsJson';
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

/** The syntax tree of a JSON text, as far as it could be parsed. */
export interface JsonTree {
  /** Undefined for an empty text, and for one that is nested too deeply or has too many values. */
  readonly root?: Node;
  readonly error?: JsonError;
}

/** A range of a text, in UTF-16 units. */
export interface TextRange {
  readonly offset: number;
  readonly length: number;
}

/** The first syntax error. A text that is too deep or too large is an error as a whole. */
export interface JsonError extends TextRange {
  readonly detail: string;
  /** Counted from 1. Undefined if the text is an error as a whole. */
  readonly line?: number;
}

/** Configurations have about ten levels; walking thousands overflows the stack. */
const maxLevels = 200;
/**
 * A configuration has some hundred tokens, a lock file four for each tool. This many are parsed in
 * about 100 ms.
 */
const maxTokens = 120_000;

/**
 * Parses JSON with comments and trailing commas, as configurations are written. An empty text is
 * valid. Accepts at most 200 levels and 120,000 tokens, which are counted first. Never throws.
 */
export function jsonTree(text: string): JsonTree {
  if (hasTooManyTokens(text, maxTokens)) return tooMany;
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch {
    // The parser overflowed the stack.
    return tooDeep;
  }
  if (root === undefined) return errorOf(errors, text);
  return isTooDeep(root) ? tooDeep : { root, ...errorOf(errors, text) };
}

const tooMany: JsonTree = { error: { detail: 'TooManyValues', offset: 0, length: 0 } };
const tooDeep: JsonTree = { error: { detail: 'NestedTooDeep', offset: 0, length: 0 } };

function errorOf([first]: readonly ParseError[], text: string): Pick<JsonTree, 'error'> {
  if (first === undefined) return {};
  const { error, offset } = first;
  // The parser counts the end of the text as one character.
  const length = Math.min(first.length, text.length - offset);
  const line = lineNumberAt(text, offset);
  return { error: { detail: printParseErrorCode(error), offset, length, line } };
}

function isTooDeep(root: Node): boolean {
  let level: readonly Node[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === maxLevels) return true;
    level = level.flatMap((node) => node.children ?? []);
  }
  return false;
}

/** Editors of some systems begin a text with it; it is no part of the text. */
export function withoutBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Returns the number of the line at an offset, counted from 1. */
export function lineNumberAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
