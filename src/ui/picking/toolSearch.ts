import type { Tool } from '../../core/types';
import { Turns } from '../../host/consent/pins/pinTurns';
import { byLastCall, type PickableTool } from './pickableTools';

const maxQueryChars = 200;
/** Names and descriptions have no bound of their own; a hostile one must not make typing slow. */
const maxNameChars = 500;
const maxDescriptionChars = 4_000;

/** What is searched of a tool, in lower case; the parts of a name are words. */
interface Searched {
  readonly names: readonly string[];
  readonly words: readonly string[];
  /** The first letters of its words. */
  readonly initials: readonly string[];
  /** Names and description: what is not in here is found by initials at most. */
  readonly text: string;
}

/** How well a tool fits, the best first. Of equal fit those that were called last come first. */
const ranks = {
  exact: 0,
  prefix: 1,
  wordStarts: 2,
  inName: 3,
  withServer: 4,
  initials: 5,
  anywhere: 6,
} as const;

/** Finds tools by what a person types; knows what it has read of a definition. */
export class ToolSearch {
  readonly #searched = new WeakMap<Tool, Searched>();

  /**
   * The tools in which every word of `text` occurs, in any order: exact and beginning names first,
   * then the words of names, then the rest. Without a word, all of them as they are.
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
    return found.flatMap((equals) => byLastCall(equals));
  }

  /** Reads the definitions of a long list in slices, so that the first letter does not have to. */
  async prepare(tools: readonly PickableTool[], isWanted: () => boolean): Promise<void> {
    const turns = new Turns();
    for (const { entry } of tools) {
      if (turns.isOver) await turns.next();
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

/** One of {@link ranks}; `undefined`: it does not fit. */
function rankOf(
  { names, words, initials, text }: Searched,
  server: string,
  query: readonly string[],
): number | undefined {
  const whole = query.join(' ');
  const isInitials =
    query.length === 1 && whole.length > 1 && initials.some((each) => each.startsWith(whole));
  const isOfServer = (part: string): boolean => server.includes(part);
  // First what most of a long list fail at; no word has a line break.
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

/** `readFile` is two words, and so is `read_file`. */
function withWordBreaks(name: string): string {
  return name.replaceAll(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ');
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[\s_./:-]+/u)
    .filter((word) => word !== '');
}
