import {
  isObject,
  stringOrAbsent,
  finiteNumberOrAbsent,
  isJsonObject,
  restOf,
  type UnknownObject,
  type Mutable,
} from '../json/shapes';
import type {
  ContentBlock,
  ListProblem,
  ToolResult,
  Completion,
  Resource,
  ResourceFacts,
  ResourceList,
  ResourceTemplate,
  ResourceTemplateList,
} from '../types';
import { type ReadPage, listPages, type GrowingList } from './listPages';
import { isRole, parseContentBlock, unknownBlock, parseContentAnnotations } from './parseContent';
import { objectResult } from './parseResults';
import { McpError } from '../errors';
import { WorkTurns } from '../bounds/workTurns';
import { parseIcons } from './parsers';

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
  readonly title?: string;
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
 * A malformed message, or one with an unknown role, is kept as received, and so are other members.
 * @throws {McpError} invalidResult
 */
export function parsePromptResult(value: unknown): ToolResult {
  const result = objectResult(value);
  const { messages, _meta: meta } = result;
  if (!Array.isArray(messages)) {
    throw new McpError('invalidResult', { detail: 'messages is not an array' });
  }
  const rest = restOf(
    result,
    (name) => resultMembers.has(name) || (name === '_meta' && isJsonObject(meta)),
  );
  return {
    content: messages.map(parseMessage),
    isError: false,
    ...(isJsonObject(meta) ? { meta } : {}),
    ...(rest === undefined ? {} : { rest }),
  };
}

/** The era has already read `resultType`. */
const resultMembers: ReadonlySet<string> = new Set(['messages', 'resultType']);

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
  return [{ name: value.name, ...textsOf(value), isRequired: value.required === true }];
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

/** Longer lists are not useful, and an endless one is a mistake or an attack. */
const maxResources = 100_000;
/** Resources with a longer URI are dropped, because each request for one would contain it. */
const maxUriChars = 64 * 1024;
const maxValues = 100;
const maxValueChars = 10_000;

/** Reads all pages of `resources/list`. @throws {McpError} as `listPages` does */
export async function listAllResources(readPage: ReadPage): Promise<ResourceList> {
  const { entries, problems } = await listEntries(readPage, parseResource);
  return { resources: entries, problems };
}

/** Reads all pages of `resources/templates/list`. @throws {McpError} as `listPages` does */
export async function listAllTemplates(readPage: ReadPage): Promise<ResourceTemplateList> {
  const { entries, problems } = await listEntries(readPage, parseTemplate);
  return { templates: entries, problems };
}

export async function listEntries<Entry>(
  readPage: ReadPage,
  parse: (value: unknown) => Entry | undefined,
): Promise<{ entries: readonly Entry[]; problems: readonly ListProblem[] }> {
  const { list, problems } = await listPages(readPage, () => new GrowingEntries(parse));
  const { unusable: count, entries } = list;
  return {
    entries,
    problems: count === 0 ? problems : [...problems, { code: 'unusableEntries', count }],
  };
}

class GrowingEntries<Entry> implements GrowingList {
  readonly entries: Entry[] = [];
  readonly #parse: (value: unknown) => Entry | undefined;
  unusable = 0;

  constructor(parse: (value: unknown) => Entry | undefined) {
    this.#parse = parse;
  }

  async add(items: readonly unknown[]): Promise<ListProblem | undefined> {
    const room = maxResources - this.entries.length;
    const turns = new WorkTurns();
    for (const item of items.slice(0, room)) {
      if (turns.isOver) await turns.giveWay();
      const entry = this.#parse(item);
      if (entry === undefined) this.unusable += 1;
      else this.entries.push(entry);
    }
    return items.length <= room ? undefined : { code: 'tooManyResources', limit: maxResources };
  }
}

/** Returns `undefined` for an entry that has no URI. */
export function parseResource(value: unknown): Resource | undefined {
  if (!isObject(value) || !isAddress(value.uri)) return undefined;
  const resource: Mutable<Resource> = { uri: value.uri, ...parseFacts(value, value.uri) };
  const size = finiteNumberOrAbsent(value.size);
  if (size !== undefined && size >= 0) resource.size = size;
  const { _meta: meta } = value;
  if (isObject(meta) && isJsonObject(meta['ui'])) resource.ui = meta['ui'];
  return resource;
}

function parseTemplate(value: unknown): ResourceTemplate | undefined {
  if (!isObject(value) || !isAddress(value.uriTemplate)) return undefined;
  return { uriTemplate: value.uriTemplate, ...parseFacts(value, value.uriTemplate) };
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxUriChars;
}

/** @param address Replaces a missing name. */
function parseFacts(value: UnknownObject, address: string): ResourceFacts {
  const facts: Mutable<ResourceFacts> = { name: stringOrAbsent(value.name) ?? address };
  const title = stringOrAbsent(value.title);
  if (title !== undefined) facts.title = title;
  const description = stringOrAbsent(value.description);
  if (description !== undefined) facts.description = description;
  const mimeType = stringOrAbsent(value.mimeType);
  if (mimeType !== undefined) facts.mimeType = mimeType;
  const annotations = parseContentAnnotations(value);
  if (annotations !== undefined) facts.annotations = annotations;
  const icons = parseIcons(value.icons);
  if (icons !== undefined) facts.icons = icons;
  return facts;
}

/**
 * Parses the result of `completion/complete`. @throws {McpError} invalidResult only if it is not an
 * object
 */
export function parseCompletion(value: unknown): Completion {
  const { completion } = objectResult(value);
  if (!isObject(completion) || !Array.isArray(completion.values)) return noCompletion;
  const values = completion.values.filter(
    (item: unknown): item is string => typeof item === 'string' && item.length <= maxValueChars,
  );
  const total = finiteNumberOrAbsent(completion.total) ?? 0;
  const hasMore = completion.hasMore === true || Math.max(values.length, total) > maxValues;
  return { values: values.slice(0, maxValues), hasMore };
}

export const noCompletion: Completion = { values: [], hasMore: false };
