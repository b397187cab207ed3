import { classifyLink } from '../../core/content/linkTarget';
import { foreignTextSchemes } from '../editor/foreignTextSchemes';

interface Rendering {
  rules: Record<string, RenderRule | undefined>;
  render: (tokens: readonly MarkdownToken[], options: object, env: unknown) => string;
}

/** The part of the preview's markdown-it object that is used here. */
interface MarkdownIt {
  readonly renderer: Rendering;
  readonly utils: { readonly escapeHtml: (text: string) => string };
}

type RenderRule = (
  tokens: readonly MarkdownToken[],
  index: number,
  options: object,
  env: unknown,
  self: { renderToken: (...of: unknown[]) => string },
) => string;

/**
 * Makes VS Code's Markdown preview safe for server documents, and leaves all others unchanged.
 * Without this, the preview loads images from any https URL, which tells that server who reads what
 * and when; it opens links to files and commands; and it lets every extension render code, such as
 * diagrams. Server documents get a renderer of their own, which supports plain Markdown and none of
 * the additions of extensions: images, HTML and all code are shown as their source, and only web
 * URLs stay links, which VS Code asks about.
 */
export function withSafePreviews<T extends MarkdownIt>(markdown: T): T {
  const { renderer, utils } = markdown;
  const own = plainRenderer(markdown, utils.escapeHtml);
  const original = renderer.render.bind(renderer);
  renderer.render = (tokens, options, env) => {
    if (!isForeign(env)) return original(tokens, options, env);
    // No highlighting, because other extensions would render the code.
    return own.render(tokens.filter(isPlainToken).map(plainToken), { ...options, ...plain }, {});
  };
  return markdown;
}

const plain = { highlight: undefined, html: false, langPrefix: '' };

/** A renderer without the changes of any extension. */
function plainRenderer(markdown: MarkdownIt, escapeHtml: (text: string) => string): Rendering {
  const { renderer }: MarkdownIt = Reflect.construct(markdown.constructor, []);
  const source = (text: string): string => `<code>${escapeHtml(text)}</code>`;
  renderer.rules['image'] = (tokens, index) => {
    const { content = '', attrs } = tokens[index] ?? {};
    const address = attributeOf(attrs, 'data-src') ?? attributeOf(attrs, 'src') ?? '';
    return source(`![${content}](${address})`);
  };
  renderer.rules['html_inline'] = (tokens, index) => source(tokens[index]?.content ?? '');
  renderer.rules['html_block'] = (tokens, index) =>
    `<pre>${source(tokens[index]?.content ?? '')}</pre>`;
  renderer.rules['fence'] = renderer.rules['code_block'] = (tokens, index) =>
    `<pre>${source(tokens[index]?.content ?? '')}</pre>\n`;
  renderer.rules['link_open'] = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    const address =
      attributeOf(token?.attrs, 'data-href') ?? attributeOf(token?.attrs, 'href') ?? '';
    const attrs = linkAttributes(address);
    return self.renderToken([{ ...token, attrs, attrIndex: () => -1 }], 0, options);
  };
  return renderer;
}

function linkAttributes(address: string): [name: string, value: string][] {
  const target = classifyLink(address);
  const isLink = target.kind === 'web' && target.assessment.refusal === undefined;
  const title: [string, string] = ['title', address];
  return isLink ? [['href', address], ['data-href', address], title] : [title];
}

function attributeOf(attrs: MarkdownToken['attrs'] | undefined, name: string): string | undefined {
  return attrs?.find(([each]) => each === name)?.[1];
}

function isForeign(env: unknown): boolean {
  if (typeof env !== 'object' || env === null || !('currentDocument' in env)) return false;
  const { currentDocument: uri } = env;
  if (typeof uri !== 'object' || uri === null || !('scheme' in uri)) return false;
  return typeof uri.scheme === 'string' && foreignTextSchemes.includes(uri.scheme);
}

/** The properties of a markdown-it token that are read here. Other properties are kept. */
interface MarkdownToken {
  readonly type: string;
  readonly content: string;
  /** 1 opens an element, -1 closes it, and 0 is a complete element. */
  readonly nesting: number;
  readonly block: boolean;
  readonly children: readonly MarkdownToken[] | null;
  readonly attrs: [name: string, value: string][] | null;
}

/** The token types of plain Markdown: CommonMark, tables and strikethrough. */
const known: ReadonlySet<string> = new Set(
  [
    'paragraph_open paragraph_close heading_open heading_close blockquote_open blockquote_close',
    'bullet_list_open bullet_list_close ordered_list_open ordered_list_close',
    'list_item_open list_item_close table_open table_close thead_open thead_close',
    'tbody_open tbody_close tr_open tr_close th_open th_close td_open td_close',
    'inline text softbreak hardbreak em_open em_close strong_open strong_close s_open s_close',
    'code_inline code_block fence hr image link_open link_close html_inline html_block',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Attributes that are kept: the line, so that the preview scrolls with the text, and the layout.
 */
const attributes: Readonly<Record<string, RegExp>> = {
  'data-line': /^\d+$/,
  start: /^\d+$/,
  style: /^text-align:(?:left|right|center)$/,
};

/** Returns true if the token is kept. Tokens that extensions put around a text are dropped. */
function isPlainToken({ type, nesting }: MarkdownToken): boolean {
  return known.has(type) || nesting === 0;
}

/** The token without additions of extensions. A token of an extension becomes its text, as code. */
function plainToken(token: MarkdownToken): MarkdownToken {
  const attrs = keptAttributes(token);
  // The copy keeps the prototype, because methods of the token read its properties.
  const copy: MarkdownToken = Object.assign(Object.create(Object.getPrototypeOf(token)), token, {
    attrs,
    children: token.children?.filter(isPlainToken).map(plainToken) ?? null,
  });
  if (known.has(token.type)) return copy;
  return Object.assign(copy, { type: token.block ? 'code_block' : 'code_inline', children: null });
}

function keptAttributes({ type, attrs }: MarkdownToken): MarkdownToken['attrs'] {
  if (attrs === null || type === 'link_open' || type === 'image') return attrs;
  const kept = attrs.filter(([name, value]) => attributes[name]?.test(value) === true);
  // The preview finds its lines by this class.
  const hasLine = kept.some(([name]) => name === 'data-line');
  return hasLine ? [...kept, ['class', 'code-line']] : kept;
}
