import { pageTags, type PageNode } from './pageMessages';

/** Optional properties of an element of the page. */
interface ElementFacts {
  readonly className?: string;
  readonly text?: string;
  readonly title?: string;
}

/** An element of the page. Its text is set as text, whatever it contains. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { className, text, title }: ElementFacts = {},
  ...children: readonly Node[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  if (className !== undefined) made.className = className;
  if (text !== undefined) made.textContent = text;
  if (title !== undefined) made.title = title;
  made.append(...children);
  return made;
}

export function button(label: string, className: string, press: () => void): HTMLButtonElement {
  const made = element('button', { className, text: label });
  made.type = 'button';
  made.addEventListener('click', press);
  return made;
}

/** A line on its own, with the direction of its text. */
export function line(className: string, text: string): HTMLElement {
  const made = element('div', { className, text });
  made.dir = 'auto';
  return made;
}

const tags: ReadonlySet<string> = new Set(pageTags);
/** Tags of elements that start a line, and so may have a direction of their own. */
const lineTags: ReadonlySet<string> = new Set([
  'p',
  'h3',
  'h4',
  'h5',
  'h6',
  'li',
  'td',
  'th',
  'pre',
  'blockquote',
]);
/** Real texts are not nested this deeply, and Markdown stops below this depth. */
const maxDepth = 200;

/**
 * Makes elements of nodes. Tags that are not on the list are dropped, and their children are kept.
 */
export function* drawNodes(
  parent: Node,
  nodes: readonly PageNode[],
  follow: (link: number) => void,
  depth = 0,
): Generator<void> {
  for (const node of nodes) {
    yield;
    if (typeof node === 'string') {
      parent.appendChild(document.createTextNode(node));
      continue;
    }
    const made = elementOf(node, follow);
    if (made !== undefined) parent.appendChild(made);
    if (depth < maxDepth) yield* drawNodes(made ?? parent, node.children, follow, depth + 1);
  }
}

function elementOf(
  node: Exclude<PageNode, string>,
  follow: (link: number) => void,
): HTMLElement | undefined {
  const { tag, link, title, start, align, label } = node;
  if (!tags.has(tag)) return undefined;
  if (tag === 'link') {
    const facts = { title: title ?? '' };
    if (link === undefined) return element('span', { ...facts, className: 'no-link' });
    const made = button('', 'link', () => follow(link));
    made.setAttribute('role', 'link');
    made.title = facts.title;
    return made;
  }
  const made = document.createElement(tag);
  if (lineTags.has(tag)) made.dir = 'auto';
  if (made instanceof HTMLOListElement && start !== undefined) made.start = start;
  if (label !== undefined) made.dataset['label'] = label;
  if (align !== undefined) made.className = `align-${align}`;
  return made;
}
