import { classifyLink } from '../../core/content/linkTarget';
import { foreignTextSchemes } from '../editor/foreignTextSchemes';
import { isPlainToken, plainToken, type MarkdownToken } from './markdownTokens';

interface Rendering {
  rules: Record<string, RenderRule | undefined>;
  render: (tokens: readonly MarkdownToken[], options: object, env: unknown) => string;
}

/** The part of the preview's markdown-it object that is used here. */
export interface MarkdownIt {
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
