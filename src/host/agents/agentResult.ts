import { assertNever } from '../../core/errors';
import { textOf } from '../../core/content/textData';
import { bufferOf } from '../../core/json/bufferOf';
import { KeptJson } from '../../core/json/keptJson';
import { isObject } from '../../core/json/shapes';
import { isDeeperThan } from '../../core/parse/depth';
import type { BinaryData, ContentBlock, TextData, ToolResult } from '../../core/types';

/** A block of content as it leaves. */
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
        { readonly text: string } | { readonly blob: string }
      );
    };

/** What an agent gets of a call. */
export interface AgentAnswer {
  readonly content: readonly AgentBlock[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

/** Of texts, base64 and JSON together; a model reads less. */
const maxAnswerChars = 4 * 1024 * 1024;
const maxLevels = 200;

/** What Toolgate itself has to say to an agent instead of an answer, in one sentence. */
export function refusal(sentence: string): AgentAnswer {
  return { content: [{ type: 'text', text: sentence }], isError: true };
}

/**
 * What the server answered, as it sent it, as far as `maxChars` go; what is withheld is said in the
 * place where it stood. Text that has to be explained by its form alone (unknown blocks) is JSON.
 */
export function toAgentAnswer(result: ToolResult, maxChars = maxAnswerChars): AgentAnswer {
  const budget = new Budget(maxChars);
  const content = result.content.map((block) => toBlock(block, budget));
  const structured = structuredOf(result.structuredContent, budget);
  return {
    content: [...content, ...structured.said],
    ...(structured.value === undefined ? {} : { structuredContent: structured.value }),
    ...(result.isError ? { isError: true } : {}),
  };
}

class Budget {
  #left: number;

  constructor(chars: number) {
    this.#left = chars;
  }

  /** Whether there was room for so much. */
  take(chars: number): boolean {
    if (chars > this.#left) return false;
    this.#left -= chars;
    return true;
  }
}

function toBlock(block: ContentBlock, budget: Budget): AgentBlock {
  switch (block.type) {
    case 'text':
      return budget.take(block.text.length)
        ? { type: 'text', text: textOf(block.text) }
        : withheld('a text', block.text.length);
    case 'image':
    case 'audio': {
      const { type, mimeType, data } = block;
      if (!budget.take(base64Length(data))) return withheld(`${type} content`, data.length);
      return { type, mimeType, data: base64Of(data) };
    }
    case 'resource_link':
      return resourceLink(block);
    case 'resource':
      return resourceBlock(block.resource, budget);
    case 'unknown':
      return jsonBlock(block.raw, budget);
    default:
      return assertNever(block);
  }
}

function resourceLink(block: Extract<ContentBlock, { type: 'resource_link' }>): AgentBlock {
  const { type, uri, name, title, description, mimeType, size } = block;
  return {
    type,
    uri,
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(size === undefined ? {} : { size }),
  };
}

function resourceBlock(
  { uri, mimeType, text, blob }: Extract<ContentBlock, { type: 'resource' }>['resource'],
  budget: Budget,
): AgentBlock {
  const facts = { uri, ...(mimeType === undefined ? {} : { mimeType }) };
  const data: TextData | BinaryData = blob ?? text ?? '';
  const chars = blob === undefined ? data.length : base64Length(blob);
  if (!budget.take(chars)) return withheld('a resource', data.length);
  return blob === undefined
    ? { type: 'resource', resource: { ...facts, text: textOf(text ?? '') } }
    : { type: 'resource', resource: { ...facts, blob: base64Of(blob) } };
}

function jsonBlock(value: unknown, budget: Budget): AgentBlock {
  if (isDeeperThan(maxLevels, value)) return withheld('content that is nested too deeply');
  const text = JSON.stringify(value) ?? '';
  return budget.take(text.length) ? { type: 'text', text } : withheld('content', text.length);
}

function structuredOf(
  value: ToolResult['structuredContent'],
  budget: Budget,
): { readonly value?: Record<string, unknown>; readonly said: readonly AgentBlock[] } {
  if (value === undefined) return { said: [] };
  if (value instanceof KeptJson) {
    return { said: [withheld('structured content', value.byteLength)] };
  }
  // Revisions before 2026-07-28 know objects only.
  if (!isObject(value)) return { said: [jsonBlock(value, budget)] };
  if (isDeeperThan(maxLevels, value)) {
    return { said: [withheld('structured content that is nested too deeply')] };
  }
  const { length } = JSON.stringify(value);
  return budget.take(length)
    ? { value: { ...value }, said: [] }
    : { said: [withheld('structured content', length)] };
}

function withheld(what: string, size?: number): AgentBlock {
  const much = size === undefined ? '' : ` (${size} characters or bytes)`;
  const text = `(Toolgate has withheld ${what}${much} of this answer; the person has all of it in the editor.)`;
  return { type: 'text', text };
}

function base64Length(data: BinaryData): number {
  return typeof data === 'string' ? data.length : Math.ceil(data.length / 3) * 4;
}

function base64Of(data: BinaryData): string {
  return typeof data === 'string' ? data : bufferOf(data).toString('base64');
}
