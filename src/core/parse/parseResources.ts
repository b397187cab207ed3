import { WorkTurns } from '../bounds/workTurns';
import { listPages, type GrowingList, type ReadPage } from './listPages';
import { parseContentAnnotations } from './parseContent';
import { parseIcons } from './parseIcons';
import { objectResult } from './parseResults';
import { finiteNumberOrAbsent, isJsonObject, isObject, stringOrAbsent } from '../json/shapes';
import type { UnknownObject } from '../json/shapes';
import type {
  Completion,
  ListProblem,
  Resource,
  ResourceFacts,
  ResourceList,
  ResourceTemplate,
  ResourceTemplateList,
} from '../types';

/** Longer lists are not useful, and an endless one is a mistake or an attack. */
const maxResources = 100_000;
/** Resources with a longer URI are dropped, because each request for one would contain it. */
const maxUriChars = 64 * 1024;
const maxValues = 100;
const maxValueChars = 10_000;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

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
  const resource: Writable<Resource> = { uri: value.uri, ...parseFacts(value, value.uri) };
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
  const facts: Writable<ResourceFacts> = { name: stringOrAbsent(value.name) ?? address };
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
