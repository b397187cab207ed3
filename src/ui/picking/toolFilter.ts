import { type RiskLevel, riskLevels } from '../../core/risk';
import type { Tool } from '../../core/types';
import type { ToolEntry } from '../../host/connections/snapshot';

/** Which tools the tree shows. An empty part restricts nothing. */
export interface ToolFilter {
  /** Every word of it must occur in name, title or description; case is ignored. */
  readonly text: string;
  readonly levels: ReadonlySet<RiskLevel>;
  /** Leaves out every tool that may reach systems outside its server. */
  readonly closedWorldOnly: boolean;
}

export const noFilter: ToolFilter = { text: '', levels: new Set(), closedWorldOnly: false };

const maxFilterChars = 200;
/** Descriptions have no limit of their own; a hostile one must not make typing slow. */
const maxSearchedChars = 4_000;

/** True if the filter can hide tools. All levels together are the same as none. */
export function isFiltering(filter: ToolFilter): boolean {
  return filterWordsOf(filter).length > 0 || restrictsLevels(filter) || filter.closedWorldOnly;
}

export function isSameFilter(a: ToolFilter, b: ToolFilter): boolean {
  return (
    a.text === b.text &&
    a.closedWorldOnly === b.closedWorldOnly &&
    riskLevels.every((level) => a.levels.has(level) === b.levels.has(level))
  );
}

/** Returns the words that must all occur, in lower case. */
export function filterWordsOf(filter: ToolFilter): readonly string[] {
  return filter.text
    .slice(0, maxFilterChars)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/**
 * The searchable text of each tool of a list. It is built once, because for 20,000 tools that costs
 * more than searching.
 */
export class SearchedTexts {
  readonly #entries: readonly ToolEntry[];
  /** Texts by index. A map of this size would cost more than the texts. */
  readonly #texts: string[] = [];

  constructor(entries: readonly ToolEntry[]) {
    this.#entries = entries;
  }

  at(place: number): string {
    return (this.#texts[place] ??= toSearchedText(this.#entries[place]?.tool));
  }
}

/**
 * Returns a function that says whether the tree shows the tool at an index of its list. It is
 * created once per filter, not once per tool.
 */
export function toolMatcher(
  filter: ToolFilter,
  texts: SearchedTexts,
): (entry: ToolEntry, place: number) => boolean {
  const words = filterWordsOf(filter);
  const levels = restrictsLevels(filter) ? filter.levels : undefined;
  return ({ risk }, place) => {
    if (levels !== undefined && !levels.has(risk.level)) return false;
    if (filter.closedWorldOnly && risk.openWorld) return false;
    if (words.length === 0) return true;
    const text = texts.at(place);
    return words.every((word) => text.includes(word));
  };
}

/**
 * Returns the ranges of the filter's words in a label. They are sorted and do not touch or overlap.
 */
export function matchRanges(label: string, words: readonly string[]): [number, number][] {
  const lower = label.toLowerCase();
  // A few characters change their length in lower case, and a highlight at the wrong position is
  // worse than none.
  if (lower.length !== label.length) return [];
  const found = words.flatMap((word) => {
    const start = lower.indexOf(word);
    return start < 0 ? [] : [{ start, end: start + word.length }];
  });
  const ranges: [number, number][] = [];
  for (const { start, end } of found.toSorted((a, b) => a.start - b.start)) {
    const last = ranges.at(-1);
    if (last === undefined || start > last[1]) ranges.push([start, end]);
    else last[1] = Math.max(last[1], end);
  }
  return ranges;
}

/** Parses a stored filter. Missing parts and parts of a wrong type restrict nothing. */
export function parseToolFilter(stored: unknown): ToolFilter {
  if (typeof stored !== 'object' || stored === null) return noFilter;
  const part = (key: keyof ToolFilter): unknown => Reflect.get(stored, key);
  const text = part('text');
  const levels = part('levels');
  return {
    text: typeof text === 'string' ? text.slice(0, maxFilterChars) : '',
    levels: new Set(riskLevels.filter((level) => Array.isArray(levels) && levels.includes(level))),
    closedWorldOnly: part('closedWorldOnly') === true,
  };
}

/** Returns plain JSON for the workspace's memento. {@link parseToolFilter} reads it back. */
export function toStoredFilter(filter: ToolFilter): object {
  return { ...filter, levels: riskLevels.filter((level) => filter.levels.has(level)) };
}

function restrictsLevels(filter: ToolFilter): boolean {
  return filter.levels.size > 0 && riskLevels.some((level) => !filter.levels.has(level));
}

function toSearchedText(tool: Tool | undefined): string {
  return [tool?.name, tool?.title, tool?.annotations.title, tool?.description]
    .map((part) => part?.slice(0, maxSearchedChars).toLowerCase() ?? '')
    .join('\n');
}
