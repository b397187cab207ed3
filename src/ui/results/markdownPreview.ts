import { scheme } from '../../ids';

/** What VS Code's preview hands to extensions, as far as it is used here. */
export interface MarkdownIt {
  readonly renderer: { readonly rules: Record<string, RenderRule | undefined> };
  readonly utils: { readonly escapeHtml: (text: string) => string };
}

type RenderRule = (
  tokens: readonly MarkdownToken[],
  index: number,
  options: unknown,
  env: unknown,
  self: { renderToken: (...of: unknown[]) => string },
) => string;

interface MarkdownToken {
  readonly content: string;
  attrs: [name: string, value: string][] | null;
}

/**
 * Makes VS Code's Markdown preview safe for documents of results, and leaves all others as they
 * are. By itself it loads pictures from any https address, which tells their server who reads what
 * and when, and opens links to files and to commands of other extensions. Of results, pictures and
 * HTML show as their source, and only web addresses stay links, which VS Code asks about.
 */
export function withSafePreviews<T extends MarkdownIt>(markdown: T): T {
  const { renderer, utils } = markdown;
  const override = (name: string, rule: (token: MarkdownToken) => string | undefined): void => {
    const original = renderer.rules[name];
    renderer.rules[name] = (tokens, index, options, env, self) => {
      const token = tokens[index];
      const own = token !== undefined && isOfResult(env) ? rule(token) : undefined;
      if (own !== undefined) return own;
      return original === undefined
        ? self.renderToken(tokens, index, options)
        : original(tokens, index, options, env, self);
    };
  };
  const source = (text: string): string => `<code>${utils.escapeHtml(text)}</code>`;
  override('image', ({ content, attrs }) => {
    const address = attributeOf(attrs, 'data-src') ?? attributeOf(attrs, 'src') ?? '';
    return source(`![${content}](${address})`);
  });
  override('html_inline', ({ content }) => source(content));
  override('html_block', ({ content }) => `<pre>${source(content)}</pre>`);
  override('link_open', (token) => {
    const address = attributeOf(token.attrs, 'data-href') ?? attributeOf(token.attrs, 'href') ?? '';
    if (/^(?:https?:\/\/|mailto:|#)/i.test(address)) return undefined;
    token.attrs = [['title', address]];
    return undefined;
  });
  return markdown;
}

function attributeOf(attrs: MarkdownToken['attrs'], name: string): string | undefined {
  return attrs?.find(([each]) => each === name)?.[1];
}

function isOfResult(env: unknown): boolean {
  if (typeof env !== 'object' || env === null || !('currentDocument' in env)) return false;
  const { currentDocument: uri } = env;
  return typeof uri === 'object' && uri !== null && 'scheme' in uri && uri.scheme === scheme;
}
