import MarkdownIt, { type Token } from 'markdown-it';
import { classifyLink } from '../../core/content/linkTarget';
import { textLinksIn } from '../../core/content/textLinks';
import { visibleText } from '../../core/visibleText';
import type { PageElement, PageNode } from '../../page/pageMessages';

/** Tags of container tokens. Heading levels are below those of the page. */
const elements: Readonly<Record<string, string>> = {
  paragraph_open: 'p',
  blockquote_open: 'blockquote',
  bullet_list_open: 'ul',
  ordered_list_open: 'ol',
  list_item_open: 'li',
  table_open: 'table',
  thead_open: 'thead',
  tbody_open: 'tbody',
  tr_open: 'tr',
  th_open: 'th',
  td_open: 'td',
  em_open: 'em',
  strong_open: 'strong',
  s_open: 's',
};
const headings: Readonly<Record<string, string>> = { h1: 'h3', h2: 'h4', h3: 'h5' };

interface OpenElement {
  readonly children: PageNode[];
  readonly close: (children: readonly PageNode[]) => readonly PageNode[];
}

/** Finding emphasis and links in longer paragraphs would take too long. */
const maxInlineChars = 8_000;

/**
 * Converts a server's Markdown to nodes of the page: CommonMark, tables and strikethrough. HTML,
 * images and refused links are shown as their source. Other tasks get a turn between paragraphs.
 */
export async function markdownNodes(
  text: string,
  into: PartNodes,
  takeTurn: () => Promise<void>,
): Promise<readonly PageNode[]> {
  const markdown = parser();
  const env = {};
  const nodes = new MarkdownNodes(into);
  const tokens = markdown.parse(text, env);
  for (const token of tokens) {
    await takeTurn();
    const { type, content, children } = token;
    if (type === 'inline' && children !== null && content.length <= maxInlineChars && !into.isFull)
      markdown.inline.parse(content, markdown, env, children);
    nodes.add(token);
  }
  return nodes.end();
}

function parser() {
  const markdown = new MarkdownIt('default', { html: false, linkify: false, typographer: false });
  markdown.validateLink = (uri) => classifyLink(uri).kind !== 'refused';
  // Inline content is parsed when it is drawn.
  markdown.core.ruler.enableOnly(['normalize', 'block']);
  // Links stay as the server wrote them, so that the link that is shown and checked is the one that
  // is opened.
  markdown.normalizeLink = (uri) => uri;
  markdown.normalizeLinkText = (uri) => uri;
  return markdown;
}

class MarkdownNodes {
  readonly #into: PartNodes;
  readonly #root: OpenElement = { children: [], close: (children) => children };
  readonly #open: OpenElement[] = [this.#root];
  #isInLink = false;

  constructor(into: PartNodes) {
    this.#into = into;
  }

  add(token: Token): void {
    if (token.nesting === -1) this.#close();
    else if (token.nesting === 1) this.#open.push(this.#opened(token));
    else if (this.#into.isFull) return;
    else if (token.type !== 'inline') this.#last.push(...this.#leaf(token));
    else if (token.children?.length) for (const child of token.children) this.add(child);
    else this.#last.push(...this.#into.text(token.content));
  }

  /** Returns the nodes, after closing elements that are still open. */
  end(): readonly PageNode[] {
    while (this.#open.length > 1) this.#close();
    return this.#root.children;
  }

  get #last(): PageNode[] {
    return this.#open.at(-1)?.children ?? [];
  }

  #close(): void {
    const closed = this.#open.length > 1 ? this.#open.pop() : undefined;
    if (closed !== undefined) this.#last.push(...closed.close(closed.children));
  }

  #opened(token: Token): OpenElement {
    if (token.type === 'link_open') {
      this.#isInLink = true;
      const uri = String(token.attrGet('href') ?? '');
      const close = (children: readonly PageNode[]) => {
        this.#isInLink = false;
        return [this.#into.link(uri, children)];
      };
      return { children: [], close };
    }
    const tag = token.type === 'heading_open' ? (headings[token.tag] ?? 'h6') : tagOf(token.type);
    // A tight list has no paragraphs.
    if (tag === undefined || token.hidden) return { children: [], close: (children) => children };
    this.#into.count();
    const about = attributesOf(token);
    return { children: [], close: (children) => [{ tag, children, ...about }] };
  }

  #leaf(token: Token): readonly PageNode[] {
    switch (token.type) {
      case 'text':
        return this.#isInLink ? this.#into.plain(token.content) : this.#into.text(token.content);
      case 'softbreak':
        return ['\n'];
      case 'hardbreak':
        return [{ tag: 'br', children: [] }];
      case 'hr':
        return [{ tag: 'hr', children: [] }];
      case 'code_inline':
        return [{ tag: 'code', children: this.#into.plain(token.content) }];
      case 'fence':
      case 'code_block':
        return [{ tag: 'pre', children: this.#into.text(token.content) }];
      case 'image':
        return [{ tag: 'code', children: this.#into.plain(sourceOfImage(token)) }];
      default:
        return this.#into.plain(token.content);
    }
  }
}

/** Looks up own properties only, because the type comes from the parser. */
function tagOf(type: string): string | undefined {
  return Object.hasOwn(elements, type) ? elements[type] : undefined;
}

function attributesOf(token: Token): Pick<PageElement, 'start' | 'align'> {
  const start = Number(token.attrGet('start') ?? Number.NaN);
  const [, align] = /^text-align:(left|center|right)$/.exec(String(token.attrGet('style'))) ?? [];
  return {
    ...(token.type === 'ordered_list_open' && Number.isSafeInteger(start) ? { start } : {}),
    ...(align === 'left' || align === 'center' || align === 'right' ? { align } : {}),
  };
}

/** Images are never fetched, so their source is shown. */
function sourceOfImage(token: Token): string {
  return `![${token.content}](${token.attrGet('src') ?? ''})`;
}

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
