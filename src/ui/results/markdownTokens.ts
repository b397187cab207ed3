/** The properties of a markdown-it token that are read here. Other properties are kept. */
export interface MarkdownToken {
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
export function isPlainToken({ type, nesting }: MarkdownToken): boolean {
  return known.has(type) || nesting === 0;
}

/** The token without additions of extensions. A token of an extension becomes its text, as code. */
export function plainToken(token: MarkdownToken): MarkdownToken {
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
