import { judgeLink } from '../../core/content/linkTarget';
import { textLinksIn } from '../../core/content/textLinks';
import { visibleText } from '../../core/visibleText';
import type { PageNode } from '../../page/pageMessages';

/** More links than a user follows in one part; the rest is text. */
const maxLinks = 500;
/** More nodes than a user reads in one part; the rest is in its document. */
const maxNodes = 20_000;
const maxTitleChars = 500;

/** What one part is drawn as, and where its links lead, which only the extension knows. */
export class PartNodes {
  readonly #links: string[] = [];
  #nodes = 0;

  /** By the number in the link. */
  get links(): readonly string[] {
    return this.#links;
  }

  /** Whether there is no room for more. */
  get isFull(): boolean {
    return this.#nodes >= maxNodes;
  }

  count(): void {
    this.#nodes += 1;
  }

  /** A link that asks before it leads somewhere; the same as text where it may lead nowhere. */
  link(uri: string, children: readonly PageNode[]): PageNode {
    this.count();
    const title = visibleText(uri, maxTitleChars);
    const target = judgeLink(uri);
    const isRefused =
      target.kind === 'refused' ||
      (target.kind === 'web' && target.assessment.refusal !== undefined);
    if (isRefused || this.#links.length >= maxLinks) return { tag: 'link', children, title };
    this.#links.push(uri);
    return { tag: 'link', children, title, link: this.#links.length - 1 };
  }

  /** Text as it may stand on screen, with links at the addresses of the web and of files. */
  text(text: string): readonly PageNode[] {
    const nodes: PageNode[] = [];
    let end = 0;
    for (const link of textLinksIn(text)) {
      nodes.push(...this.plain(text.slice(end, link.start)));
      nodes.push(this.link(link.uri, this.plain(text.slice(link.start, link.end))));
      end = link.end;
    }
    return [...nodes, ...this.plain(text.slice(end))];
  }

  /** The same without links. */
  plain(text: string): readonly PageNode[] {
    if (text === '') return [];
    this.count();
    return [visibleText(text, text.length * maxEscapeChars, { newlines: 'keep' })];
  }
}

/** A character is shown as at most so many. */
const maxEscapeChars = 10;

/** Plain text, line by line, so that others have their turns in between. */
export async function textNodes(
  text: string,
  into: PartNodes,
  takeTurn: () => Promise<void>,
): Promise<readonly PageNode[]> {
  const nodes: PageNode[] = [];
  let plain = '';
  for (const line of text.split(/(?<=\n)/)) {
    if (into.isFull) break;
    if (!/(?:https?|file):\/\//i.test(line)) {
      plain += line;
      if (plain.length < maxPlainChars) continue;
    }
    nodes.push(...into.plain(plain));
    plain = '';
    nodes.push(...(/(?:https?|file):\/\//i.test(line) ? into.text(line) : []));
    await takeTurn();
  }
  return [...nodes, ...into.plain(plain)];
}

const maxPlainChars = 8_000;
