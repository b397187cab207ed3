import { classifyLink } from '../../core/content/linkTarget';
import { textLinksIn } from '../../core/content/textLinks';
import { visibleText } from '../../core/visibleText';
import type { PageNode } from '../../page/pageMessages';

/** Maximum number of links in one part. The rest is shown as text. */
const maxLinks = 500;
/** Maximum number of nodes in one part. The rest is in its document. */
const maxNodes = 20_000;
const maxTitleChars = 500;

/** The nodes of one part, and the targets of its links. Only the extension knows the targets. */
export class PartNodes {
  readonly #links: string[] = [];
  #nodes = 0;

  /** Link targets, by the number in the link. */
  get links(): readonly string[] {
    return this.#links;
  }

  /** True if there is no room for more nodes. */
  get isFull(): boolean {
    return this.#nodes >= maxNodes;
  }

  count(): void {
    this.#nodes += 1;
  }

  /** A link that asks before it is opened. A refused link cannot be followed. */
  link(uri: string, children: readonly PageNode[]): PageNode {
    this.count();
    const title = visibleText(uri, maxTitleChars);
    const target = classifyLink(uri);
    const isRefused =
      target.kind === 'refused' ||
      (target.kind === 'web' && target.assessment.refusal !== undefined);
    if (isRefused || this.#links.length >= maxLinks) return { tag: 'link', children, title };
    this.#links.push(uri);
    return { tag: 'link', children, title, link: this.#links.length - 1 };
  }

  /** Text that is safe to show, with links for web and file URLs. */
  text(text: string): readonly PageNode[] {
    return [...this.pieces(text)].flat();
  }

  /** Like {@link text}, piece by piece, so that other tasks can get a turn in between. */
  *pieces(text: string): Generator<readonly PageNode[]> {
    let end = 0;
    for (const link of textLinksIn(text)) {
      yield* this.#plainPieces(text.slice(end, link.start));
      yield [this.link(link.uri, this.plain(text.slice(link.start, link.end)))];
      end = link.end;
    }
    yield* this.#plainPieces(text.slice(end));
  }

  *#plainPieces(text: string): Generator<readonly PageNode[]> {
    for (const [piece] of text.matchAll(piecePattern)) yield this.plain(piece);
  }

  /** Text that is safe to show, without links. */
  plain(text: string): readonly PageNode[] {
    if (text === '') return [];
    this.count();
    return [visibleText(text, text.length * maxEscapeChars, { newlines: 'keep' })];
  }
}

/** Maximum number of characters that one character is escaped to. */
const maxEscapeChars = 10;

/** Converts plain text line by line. Other tasks get a turn in between. */
export async function textNodes(
  text: string,
  into: PartNodes,
  takeTurn: () => Promise<void>,
): Promise<readonly PageNode[]> {
  const nodes: PageNode[] = [];
  const add = async (part: string): Promise<void> => {
    for (const piece of into.pieces(part)) {
      if (into.isFull) return;
      nodes.push(...piece);
      await takeTurn();
    }
  };
  let plain = '';
  for (const line of text.split(/(?<=\n)/)) {
    if (into.isFull) break;
    plain += line;
    // Lines are taken together, because each node costs time in the page.
    if (plain.length < maxPlainChars && !/(?:https?|file):\/\//i.test(line)) continue;
    await add(plain);
    plain = '';
  }
  await add(plain);
  return nodes;
}

const maxPlainChars = 8_000;
/** Whole characters of at most this many code units. */
const piecePattern = /[^]{1,8000}(?![\uDC00-\uDFFF])|[^]/g;
