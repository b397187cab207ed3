import assert from 'node:assert/strict';
import type { PageBlock, PageHead, PageNode, ToPage } from '../../src/page/pageMessages';
import { eventually } from '../waiting';

// The order in which the page of an answer draws what it gets, in a document of almost nothing.

/** An element with the members that drawing uses. */
class FakeElement {
  readonly dataset = {};
  readonly classList = { toggle: () => false };
  readonly style = { setProperty: () => undefined };
  readonly isConnected = true;
  textContent = '';
  #children: unknown[] = [];
  #parent: FakeElement | undefined;

  append(...children: readonly unknown[]): void {
    for (const child of children) {
      if (child instanceof FakeElement) child.#parent = this;
      this.#children.push(child);
    }
  }

  appendChild(child: unknown): void {
    this.append(child);
  }

  before(...children: readonly unknown[]): void {
    if (this.#parent === undefined) return;
    const siblings = this.#parent.#children;
    const before = siblings.splice(0, siblings.indexOf(this));
    siblings.unshift(...before, ...children);
  }

  remove(): void {
    const siblings = this.#parent === undefined ? [] : this.#parent.#children;
    if (siblings.includes(this)) siblings.splice(siblings.indexOf(this), 1);
    this.#parent = undefined;
  }

  replaceChildren(...children: readonly unknown[]): void {
    for (const child of this.#children) if (child instanceof FakeElement) child.#parent = undefined;
    this.#children = [];
    this.append(...children);
  }

  setAttribute(): void {
    // No test reads attributes.
  }

  addEventListener(): void {
    // No event happens.
  }

  get text(): string {
    const texts = this.#children.map((child) =>
      child instanceof FakeElement ? child.text : String(child),
    );
    return [this.textContent, ...texts].join(' ');
  }
}

const standIns: Readonly<Record<string, unknown>> = {
  document: {
    createElement: () => new FakeElement(),
    createTextNode: (text: string) => text,
  },
  window: { addEventListener: () => undefined, scrollTo: () => undefined, scrollY: 0 },
  HTMLOListElement: Map,
  IntersectionObserver: class {
    observe(): void {
      // Nothing scrolls.
    }
    unobserve(): void {
      // Nothing scrolls.
    }
    disconnect(): void {
      // Nothing scrolls.
    }
  },
};

const head: PageHead = {
  title: 'list',
  summary: '',
  details: [],
  problems: [],
  buttons: [],
  blockCount: 1,
  texts: {
    error: '',
    loading: 'Loading…',
    openPicture: '',
    notPlayable: '',
    notDrawable: '',
    notShown: 'Not shown.',
    filter: '',
    rows: '',
    copyCsv: '',
    copyMarkdown: '',
    copied: '',
    sortBy: '',
    moreColumns: '',
    moreRows: '',
  },
};

function blockOf(nodes: readonly PageNode[]): PageBlock {
  return {
    number: 0,
    title: '',
    facts: '',
    notes: [],
    buttons: [],
    body: { kind: 'nodes', nodes, isCode: false },
    isError: false,
    isFolded: false,
  };
}

/** Drawing this takes longer than one turn. */
const long: readonly PageNode[] = Array.from({ length: 200_000 }, () => 'first');

interface View {
  take(message: ToPage): void;
}

describe('The page of an answer', () => {
  let root: FakeElement;
  let view: View;

  beforeEach(async () => {
    Object.assign(globalThis, standIns);
    // The types of a browser are not those of a test, so none are read from there.
    const { AnswerView } = await import('../../src/page/answerView' satisfies string);
    root = new FakeElement();
    view = new AnswerView(
      root,
      () => undefined,
      undefined,
      () => undefined,
    );
  });

  afterEach(() => {
    for (const name of Object.keys(standIns)) Reflect.deleteProperty(globalThis, name);
  });

  function show(edition: number, nodes: readonly PageNode[]): void {
    view.take({ type: 'answer', edition, head });
    view.take({ type: 'blocks', edition, from: 0, blocks: [blockOf(nodes)] });
  }

  const drawn = (last: string) =>
    eventually(
      () => root.text.trim(),
      (text) => text.includes(last),
    );

  it('draws the newest edition when several arrive during drawing', async () => {
    show(1, long);
    await new Promise((resolve) => setTimeout(resolve));
    show(2, ['second']);
    show(3, ['third']);
    assert.doesNotMatch(await drawn('third'), /second/);
  });

  const broken: PageNode = { tag: 'p', children: [] };
  Object.defineProperty(broken, 'children', {
    get: () => {
      throw new Error('This cannot be drawn.');
    },
  });

  it('stays at the place where the user reads when what it shows has changed, also if it is shorter', async () => {
    const scrolled: unknown[] = [];
    let kept: unknown;
    const { AnswerView } = await import('../../src/page/answerView' satisfies string);
    const listeners: (() => void)[] = [];
    const page = {
      addEventListener: (_: string, listener: () => void) => listeners.push(listener),
      scrollTo: (...place: readonly number[]) => scrolled.push(place),
      scrollY: 0,
    };
    Object.assign(globalThis, { window: page });
    view = new AnswerView(
      root,
      () => undefined,
      undefined,
      (state: unknown) => (kept = state),
    );
    const whole = { ...head, blockCount: 2 };
    view.take({ type: 'answer', edition: 1, head: whole });
    view.take({ type: 'blocks', edition: 1, from: 0, blocks: [blockOf(['a']), blockOf(['b'])] });
    await drawn('b');
    for (const [edition, text] of [
      [2, 'second'],
      [3, 'third'],
    ] as const) {
      page.scrollY = edition * 100;
      show(edition, [text]);
      await drawn(text);
      assert.deepEqual(scrolled.at(-1), [0, edition * 100]);
    }
    for (const listener of listeners) listener();
    assert.equal(Object(kept).scroll, 300);
  });

  it('draws an edition after one that could not be drawn', async () => {
    show(1, [broken]);
    show(2, ['second']);
    assert.match(await drawn('second'), /second/);
  });

  it('says that a block cannot be shown, draws the others and ends the waiting', async () => {
    view.take({ type: 'answer', edition: 1, head: { ...head, blockCount: 2 } });
    const blocks = [blockOf([broken]), blockOf(['other'])];
    view.take({ type: 'blocks', edition: 1, from: 0, blocks });
    await eventually(
      () => root.text,
      (text) => !text.includes('Loading…'),
    );
    assert.match(root.text, /Not shown\..*other/);
  });
});
