import type { CDPSession, Page } from 'playwright-core';
import { eventually } from './waiting';

// What a screen reader is told, by Chromium's own accessibility tree.

interface AxValue {
  readonly value?: string | number | boolean;
  readonly relatedNodes?: readonly { readonly backendDOMNodeId: number }[];
}

interface AxNode {
  readonly ignored: boolean;
  readonly backendDOMNodeId?: number;
  readonly role?: AxValue;
  readonly name?: AxValue;
  readonly properties?: readonly { readonly name: string; readonly value: AxValue }[];
}

/** Reads the tree of one page. */
export class ScreenReader {
  readonly #page: Page;
  #session: Promise<CDPSession> | undefined;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Role and name of what has the focus, such as `treeitem: List notes, read-only`. */
  async focus(): Promise<string> {
    const nodes = await this.#nodes();
    const has = (node: AxNode, name: string) => node.properties?.find((each) => each.name === name);
    const focused = nodes.findLast((node) => has(node, 'focused')?.value.value === true);
    if (focused === undefined) return '';
    // A list keeps the focus itself and says which of its rows is meant.
    const [active] = has(focused, 'activedescendant')?.value.relatedNodes ?? [];
    const meant = nodes.find(({ backendDOMNodeId: id }) => id === active?.backendDOMNodeId);
    return words(active === undefined || meant === undefined ? focused : meant);
  }

  /** Role and name of everything with this role. */
  async all(role: string): Promise<readonly string[]> {
    const nodes = await this.#nodes();
    return nodes.filter((node) => !node.ignored && node.role?.value === role).map(words);
  }

  /** Presses the key until this has the focus. */
  async pressUntil(key: string, wanted: RegExp): Promise<string> {
    return eventually(
      async () => {
        const now = await this.focus();
        if (wanted.test(now)) return now;
        await this.#page.keyboard.press(key);
        return this.focus();
      },
      (now) => wanted.test(now),
    );
  }

  /** Waits until this has the focus. */
  hears(wanted: RegExp): Promise<string> {
    return eventually(
      () => this.focus(),
      (now) => wanted.test(now),
    );
  }

  async #nodes(): Promise<readonly AxNode[]> {
    this.#session ??= this.#page.context().newCDPSession(this.#page);
    const { nodes } = await (await this.#session).send('Accessibility.getFullAXTree');
    return nodes;
  }
}

function words({ role, name }: AxNode): string {
  return `${role?.value ?? ''}: ${name?.value ?? ''}`;
}
