import type { Tool } from '../../core/types';
import { WorkTurns } from '../../core/bounds/workTurns';
import { nearWordMatcher } from '../../core/nearestName';
import { splitLine } from '../../host/adding/programDraft';
import { byLastCall, type PickableTool } from './pickableTools';

const maxQueryChars = 200;
/** Names and descriptions have no limit of their own; a hostile one must not make typing slow. */
const maxNameChars = 500;
const maxDescriptionChars = 4_000;

/** The searchable parts of a tool, in lower case. The parts of its name are words. */
interface Searched {
  readonly names: readonly string[];
  readonly words: readonly string[];
  /** First letters of its words. */
  readonly initials: readonly string[];
  /** Names and description. What is not in it can match only by initials. */
  readonly text: string;
}

/** How well a tool matches, best first. Equal matches are sorted by their last call. */
const ranks = {
  exact: 0,
  prefix: 1,
  wordStarts: 2,
  inName: 3,
  withServer: 4,
  initials: 5,
  anywhere: 6,
} as const;

/** Finds tools by typed text. It caches what it has read of each definition. */
export class ToolSearch {
  readonly #searched = new WeakMap<Tool, Searched>();

  /**
   * Returns the tools that contain every word of `text` in any order: exact names and prefixes
   * first, then words of names, then the rest. If there are none, words of names may differ a little.
   * Without a word it returns all tools unchanged.
   */
  find(tools: readonly PickableTool[], text: string): readonly PickableTool[] {
    const query = wordsOf(text.slice(0, maxQueryChars));
    if (query.length === 0) return tools;
    const found = Object.values(ranks).map((): PickableTool[] => []);
    const servers = new Map<string, string>();
    for (const tool of tools) {
      const { label } = tool.server.config;
      let server = servers.get(label);
      if (server === undefined) {
        servers.set(label, (server = label.slice(0, maxNameChars).toLowerCase()));
      }
      const rank = rankOf(this.#read(tool.entry.tool), server, query);
      if (rank !== undefined) found[rank]?.push(tool);
    }
    if (found.every(({ length }) => length === 0)) return byLastCall(this.#near(tools, query));
    return found.flatMap((equals) => byLastCall(equals));
  }

  /** Returns the tools that match if the words may have typing errors. */
  #near(tools: readonly PickableTool[], query: readonly string[]): readonly PickableTool[] {
    const parts = query.map((part) => ({ part, isNear: nearWordMatcher(part) }));
    return tools.filter(({ entry, server }) => {
      const { words, text } = this.#read(entry.tool);
      const label = server.config.label.slice(0, maxNameChars).toLowerCase();
      return parts.every(
        ({ part, isNear }) => text.includes(part) || label.includes(part) || words.some(isNear),
      );
    });
  }

  /**
   * Reads the definitions of a long list in slices, so that the first letter does not have to wait
   * for it.
   */
  async prepare(tools: readonly PickableTool[], isWanted: () => boolean): Promise<void> {
    const turns = new WorkTurns();
    for (const { entry } of tools) {
      if (turns.isOver) await turns.giveWay();
      if (!isWanted()) return;
      this.#read(entry.tool);
    }
  }

  #read(tool: Tool): Searched {
    const known = this.#searched.get(tool);
    if (known !== undefined) return known;
    const titles = [tool.name, tool.title, tool.annotations.title].filter(
      (title) => title !== undefined,
    );
    const words = titles.map((title) => wordsOf(withWordBreaks(title.slice(0, maxNameChars))));
    const names = [
      ...words.map((each) => each.join(' ')),
      tool.name.slice(0, maxNameChars).toLowerCase(),
    ];
    const description = (tool.description ?? '').slice(0, maxDescriptionChars).toLowerCase();
    const searched = {
      names,
      words: words.flat(),
      initials: words.map((each) => each.map((word) => word.charAt(0)).join('')),
      text: [...names, description].join('\n'),
    };
    this.#searched.set(tool, searched);
    return searched;
  }
}

/** Returns one of {@link ranks}, or `undefined` if the tool does not match. */
function rankOf(
  { names, words, initials, text }: Searched,
  server: string,
  query: readonly string[],
): number | undefined {
  const whole = query.join(' ');
  const isInitials =
    query.length === 1 && whole.length > 1 && initials.some((each) => each.startsWith(whole));
  const isOfServer = (part: string): boolean => server.includes(part);
  // This check comes first, because most tools of a long list fail it. No word contains a line
  // break.
  if (!query.every((part) => text.includes(part) || isOfServer(part))) {
    return isInitials ? ranks.initials : undefined;
  }
  if (names.includes(whole)) return ranks.exact;
  if (names.some((name) => name.startsWith(whole))) return ranks.prefix;
  if (query.every((part) => words.some((word) => word.startsWith(part)))) {
    return ranks.wordStarts;
  }
  const isNamed = (part: string): boolean => names.some((name) => name.includes(part));
  if (query.every(isNamed)) return ranks.inName;
  if (query.every((part) => isNamed(part) || isOfServer(part))) return ranks.withServer;
  return isInitials ? ranks.initials : ranks.anywhere;
}

/** Splits `readFile` and `read_file` into two words. */
function withWordBreaks(name: string): string {
  return name.replaceAll(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ');
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[\s_./:-]+/u)
    .filter((word) => word !== '');
}

/** The text in a picker of tools: words to search for, then values of arguments. */
interface TypedCall {
  readonly query: string;
  /** Values by the name of their argument. */
  readonly values: ReadonlyMap<string, string>;
}

/** Splits `write text="a b" count=2`. Quotes keep the words of a value together. */
export function splitTypedCall(text: string): TypedCall {
  const at = text.search(/(?<=^|\s)[\p{L}\p{N}_$.-]+=/u);
  if (at < 0) return { query: text, values: new Map() };
  const rest = text.slice(at);
  const parts = splitLine(rest) ?? rest.split(/\s+/);
  const values = parts.flatMap((part): [string, string][] => {
    const equals = part.indexOf('=');
    return equals < 1 ? [] : [[part.slice(0, equals), part.slice(equals + 1)]];
  });
  return { query: text.slice(0, at), values: new Map(values) };
}
