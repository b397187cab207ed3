import { isObject, stringOrAbsent } from '../json/shapes';
import type { ContentBlock, ListProblem, ToolResult } from '../types';
import type { ReadPage } from './listPages';
import { isRole, parseContentBlock, unknownBlock } from './parseContent';
import { objectResult } from './parseResults';
import { listEntries } from './parseResources';
import { McpError } from '../errors';

/** An entry of `prompts/list`. */
export interface ServerPrompt {
  /** Exactly as received, and sent back unchanged. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly PromptArgument[];
}

export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly isRequired: boolean;
}

export interface PromptList {
  readonly prompts: readonly ServerPrompt[];
  /** Why the list may be incomplete. */
  readonly problems: readonly ListProblem[];
}

/** Prompts with a longer name are dropped. */
const maxNameChars = 64 * 1024;
/** Limits the arguments of a prompt. If it has more, the required ones are used first. */
const maxArguments = 1_000;

/** Reads all pages of `prompts/list`. @throws {McpError} as `listPages` does */
export async function listAllPrompts(readPage: ReadPage): Promise<PromptList> {
  const { entries, problems } = await listEntries(readPage, parsePrompt);
  return { prompts: entries, problems };
}

/**
 * Converts the result of `prompts/get` to that of a tool: each message becomes a block with a role.
 * A malformed message, or one with an unknown role, is kept as received.
 * @throws {McpError} invalidResult
 */
export function parsePromptResult(value: unknown): ToolResult {
  const { messages } = objectResult(value);
  if (!Array.isArray(messages)) {
    throw new McpError('invalidResult', { detail: 'messages is not an array' });
  }
  return { content: messages.map(parseMessage), isError: false };
}

function parseMessage(message: unknown): ContentBlock {
  if (!isObject(message)) return unknownBlock(message, 'not an object');
  const { role, content } = message;
  if (!isRole(role)) return unknownBlock(message, 'unknown role');
  const block = parseContentBlock(content);
  if (block.type === 'unknown') return unknownBlock(message, `content: ${block.reason}`);
  return { ...block, role };
}

function parsePrompt(value: unknown): ServerPrompt | undefined {
  if (!isObject(value) || !isName(value.name)) return undefined;
  const { arguments: given } = value;
  const entries: readonly unknown[] = Array.isArray(given) ? given : [];
  const all = entries.flatMap(parseArgument);
  const used =
    all.length <= maxArguments
      ? all
      : all
          .toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired))
          .slice(0, maxArguments);
  return { name: value.name, ...textsOf(value), arguments: used };
}

function parseArgument(value: unknown): readonly PromptArgument[] {
  if (!isObject(value) || !isName(value.name)) return [];
  const { description } = textsOf(value);
  const known = description === undefined ? {} : { description };
  return [{ name: value.name, ...known, isRequired: value.required === true }];
}

function textsOf(value: {
  readonly title?: unknown;
  readonly description?: unknown;
}): Pick<ServerPrompt, 'title' | 'description'> {
  const title = stringOrAbsent(value.title);
  const description = stringOrAbsent(value.description);
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxNameChars;
}
