import { assertNever } from '../../core/errors';
import { textOf } from '../../core/content/textKind';
import { bufferOf } from '../../core/json/jsonLimits';
import { jsonPieces } from '../../core/json/jsonPieces';
import { exactJson } from '../../core/json/layOutJson';
import { RawJson } from '../../core/json/rawJson';
import { isObject, type UnknownObject } from '../../core/json/shapes';
import { withWrittenBytes } from '../../core/json/writtenBytes';
import { isDeeperThan } from '../../core/parse/parsers';
import type { BinaryData, ContentBlock, TextData, ToolResult } from '../../core/types';

/** A content block as sent to the agent, with the extra members that its server added. */
export type AgentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly mimeType?: string;
      readonly size?: number;
    }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType?: string } & (
        | { readonly text: string }
        | { readonly blob: string }
      );
    };

/** The answer that an agent receives for a call. */
export interface AgentAnswer {
  readonly content: readonly AgentBlock[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

/** Limit for texts, base64, JSON, links and placeholder sentences together. Models read less. */
const maxAnswerChars = 4 * 1024 * 1024;
const maxLevels = 200;
/** Number of withheld parts that get a sentence of their own. One more sentence counts the rest. */
const maxSentences = 20;

/** Makes an answer from one sentence of Toolgate instead of a server's result. */
export function refusal(sentence: string): AgentAnswer {
  return { content: [{ type: 'text', text: sentence }], isError: true };
}

/**
 * Converts the server's result up to `maxChars`. A sentence replaces each withheld part. Blocks of
 * an unknown type become JSON text.
 */
export function toAgentAnswer(result: ToolResult, maxChars = maxAnswerChars): AgentAnswer {
  const budget = new Budget(maxChars);
  const content = result.content.flatMap((block) => withExtras(block, budget));
  const structured = structuredOf(result.structuredContent, budget);
  const meta = bounded(metaOf(result), 'what the server says of the whole', budget);
  return {
    content: [...content, ...structured.said, ...meta.said, ...budget.rest()],
    ...(structured.value === undefined ? {} : { structuredContent: structured.value }),
    ...(result.isError ? { isError: true } : {}),
    ...(meta.value === undefined ? {} : { _meta: meta.value }),
  };
}

/** Names that MCP reserves for the protocol. */
const reservedName = /^(?:[\w-]+\.)*(?:modelcontextprotocol|mcp)(?:\.[\w-]+)*\/|^progressToken$/;

/** Returns the result's metadata without the reserved names, which are for this client alone. */
function metaOf({ meta = {} }: ToolResult): Record<string, unknown> {
  return Object.fromEntries(Object.entries(meta).filter(([name]) => !reservedName.test(name)));
}

/** Returns the block with the other members of the original, such as annotations and extensions. */
function withExtras(block: ContentBlock, budget: Budget): readonly AgentBlock[] {
  const sent = toBlock(block, budget);
  if (sent === undefined) return [];
  const { annotations, rest = {} } = block;
  const all = { ...rest, ...(annotations === undefined ? {} : { annotations }) };
  const isAsSent = sent.type === block.type;
  const { value, said } = bounded(isAsSent ? all : {}, 'what the server says of a part', budget);
  if (value === undefined) return [sent, ...said];
  if (sent.type !== 'resource' || !isObject(value.resource)) return [{ ...value, ...sent }];
  return [{ ...value, ...sent, resource: { ...value.resource, ...sent.resource } }];
}

/** Returns the members if they exist and fit into the budget. */
function bounded(
  value: Record<string, unknown>,
  what: string,
  budget: Budget,
): { readonly value?: Record<string, unknown>; readonly said: readonly AgentBlock[] } {
  if (Object.keys(value).length === 0) return { said: [] };
  const length = isDeeperThan(maxLevels, value) ? undefined : jsonLength(value);
  if (length !== undefined && budget.take(length)) return { value: written(value), said: [] };
  const block = budget.withhold(what, length);
  return { said: block === undefined ? [] : [block] };
}

/**
 * Returns the length of a value as JSON, or `undefined` above the limit, without counting to the
 * end.
 */
function jsonLength(value: unknown): number | undefined {
  let length = 0;
  for (const piece of jsonPieces(value)) {
    length += piece.length;
    if (length > maxAnswerChars) return undefined;
  }
  return length;
}

/** Bytes that were not decoded here are written as base64 again. */
function written(value: UnknownObject): Record<string, unknown> {
  const plain = withWrittenBytes(value);
  return isObject(plain) ? { ...plain } : {};
}

class Budget {
  #left: number;
  #sentences = 0;
  #more = 0;

  constructor(chars: number) {
    this.#left = chars;
  }

  /** Takes characters from the budget; returns false if too few are left. */
  take(chars: number): boolean {
    if (chars > this.#left) return false;
    this.#left -= chars;
    return true;
  }

  /**
   * Returns the sentence in place of a withheld part, or nothing if there were too many already.
   */
  withhold(what: string, size?: number): AgentBlock | undefined {
    if (this.#sentences >= maxSentences) {
      this.#more += 1;
      return undefined;
    }
    this.#sentences += 1;
    const much = size === undefined ? '' : ` (${size} characters or bytes)`;
    const block = withheld(`${what}${much}`);
    this.#left = Math.max(0, this.#left - block.text.length);
    return block;
  }

  /** Returns a sentence that counts the parts without one. */
  rest(): readonly AgentBlock[] {
    return this.#more === 0 ? [] : [withheld(`${this.#more} more parts`)];
  }
}

/** Returns `undefined` if the block is withheld without a sentence of its own. */
function toBlock(block: ContentBlock, budget: Budget): AgentBlock | undefined {
  switch (block.type) {
    case 'text':
      return budget.take(block.text.length)
        ? { type: 'text', text: textOf(block.text) }
        : budget.withhold('a text', block.text.length);
    case 'image':
    case 'audio': {
      const { type, mimeType, data } = block;
      if (!budget.take(base64Length(data) + mimeType.length)) {
        return budget.withhold(`${type} content`, data.length);
      }
      return { type, mimeType, data: base64Of(data) };
    }
    case 'resource_link':
      return resourceLink(block, budget);
    case 'resource':
      return resourceBlock(block.resource, budget);
    case 'unknown':
      return jsonBlock(block.raw, budget);
    default:
      return assertNever(block);
  }
}

function resourceLink(
  block: Extract<ContentBlock, { type: 'resource_link' }>,
  budget: Budget,
): AgentBlock | undefined {
  const { type, uri, name, title, description, mimeType, size } = block;
  const link = {
    type,
    uri,
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(size === undefined ? {} : { size }),
  };
  const { length } = JSON.stringify(link);
  return budget.take(length) ? link : budget.withhold('a link', length);
}

function resourceBlock(
  { uri, mimeType, text, blob }: Extract<ContentBlock, { type: 'resource' }>['resource'],
  budget: Budget,
): AgentBlock | undefined {
  const facts = { uri, ...(mimeType === undefined ? {} : { mimeType }) };
  const data: TextData | BinaryData = blob ?? text ?? '';
  const chars = blob === undefined ? data.length : base64Length(blob);
  if (!budget.take(chars + uri.length + (mimeType ?? '').length)) {
    return budget.withhold('a resource', data.length);
  }
  return blob === undefined
    ? { type: 'resource', resource: { ...facts, text: textOf(text ?? '') } }
    : { type: 'resource', resource: { ...facts, blob: base64Of(blob) } };
}

function jsonBlock(value: unknown, budget: Budget): AgentBlock | undefined {
  if (isDeeperThan(maxLevels, value)) {
    return budget.withhold('content that is nested too deeply');
  }
  const length = jsonLength(value);
  if (length === undefined || !budget.take(length)) return budget.withhold('content', length);
  return { type: 'text', text: exactJson(value) ?? '' };
}

function structuredOf(
  value: ToolResult['structuredContent'],
  budget: Budget,
): { readonly value?: Record<string, unknown>; readonly said: readonly AgentBlock[] } {
  const said = (block: AgentBlock | undefined) => ({ said: block === undefined ? [] : [block] });
  if (value === undefined) return { said: [] };
  if (value instanceof RawJson) {
    return said(budget.withhold('structured content', value.byteLength));
  }
  // Revisions before 2026-07-28 allow objects only.
  if (!isObject(value)) return said(jsonBlock(value, budget));
  if (isDeeperThan(maxLevels, value)) {
    return said(budget.withhold('structured content that is nested too deeply'));
  }
  const length = jsonLength(value);
  return length !== undefined && budget.take(length)
    ? { value: written(value), said: [] }
    : said(budget.withhold('structured content', length));
}

function withheld(what: string): Extract<AgentBlock, { type: 'text' }> {
  const text = `(Toolgate has withheld ${what} of this answer; the person has all of it in the editor.)`;
  return { type: 'text', text };
}

function base64Length(data: BinaryData): number {
  return typeof data === 'string' ? data.length : Math.ceil(data.length / 3) * 4;
}

function base64Of(data: BinaryData): string {
  return typeof data === 'string' ? data : bufferOf(data).toString('base64');
}
