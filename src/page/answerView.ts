import { visibleText } from '../core/visibleText';
import { GridView, type GridState } from './grid';
import { MediaViews } from './media';
import type { FromPage, PageBlock, PageHead, ToPage } from './pageMessages';
import { button, drawNodes, element, line } from './nodes';
import { readGrid } from './readGrid';
import { inTurns } from './turns';

/** State that the page keeps while it is hidden and when the window reloads. */
interface PageState {
  readonly scroll: number;
  readonly blocks: number;
  /** Numbers of the folded parts that were opened, and -1 for the facts. */
  readonly open: readonly number[];
  /** Sorting and filter of each list of rows, by part number. */
  readonly grids: readonly (readonly [number: number, state: GridState])[];
}

/** Maximum number of characters shown for JSON that turns out not to be a list of rows. */
const maxTextChars = 100_000;

const factsKey = -1;

type BlocksToPage = Extract<ToPage, { readonly type: 'blocks' }>;

/** Draws one answer. Blocks are drawn as the user scrolls to them. */
export class AnswerView {
  readonly #root: HTMLElement;
  readonly #send: (message: FromPage) => void;
  readonly #setState: (state: PageState) => void;
  /** The place that the user left, or where the user reads while what is shown changes. */
  #wanted: Pick<PageState, 'scroll' | 'blocks'>;
  readonly #open: Set<number>;
  readonly #grids: Map<number, GridState>;
  readonly #pieces = new Map<string, (bytes: Uint8Array | undefined) => void>();
  #media: MediaViews | undefined;
  #head: PageHead | undefined;
  #edition = 0;
  /** True until {@link #wanted} is reached. */
  #isRestoring = true;
  #blockCount = 0;
  #isAsked = false;
  #end: HTMLElement = element('div');
  /** The buttons of the whole answer. */
  #bar: readonly HTMLButtonElement[] = [];
  #drawing: Promise<void> = Promise.resolve();
  readonly #observer = new IntersectionObserver(
    (entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) this.#askForMore();
    },
    { rootMargin: '800px' },
  );

  constructor(
    root: HTMLElement,
    send: (message: FromPage) => void,
    state: unknown,
    setState: (state: PageState) => void,
  ) {
    this.#root = root;
    this.#send = send;
    this.#setState = setState;
    const { open, grids, ...place } = parseState(state);
    this.#wanted = place;
    this.#open = new Set(open);
    this.#grids = new Map(grids);
    window.addEventListener('scroll', () => this.#remember(), { passive: true });
  }

  take(message: ToPage): void {
    if (message.type === 'gone') return this.#root.replaceChildren(line('gone', message.sentence));
    if (message.type === 'answer') return this.#begin(message.edition, message.head);
    if (message.edition !== this.#edition) return;
    if (message.type === 'blocks') {
      this.#drawing = this.#drawing.then(() => this.#drawBlocks(message));
    } else if (message.type === 'bytes') {
      const key = `${message.number}:${message.offset}`;
      this.#pieces.get(key)?.(message.bytes);
      this.#pieces.delete(key);
    }
  }

  #begin(edition: number, head: PageHead): void {
    const pressed = this.#bar.findIndex((each) => each === document.activeElement);
    const focused = this.#head?.buttons[pressed]?.verb;
    if (!this.#isRestoring) this.#wanted = { scroll: window.scrollY, blocks: this.#blockCount };
    this.#isRestoring = true;
    this.#media?.dispose();
    this.#pieces.clear();
    this.#edition = edition;
    this.#head = head;
    this.#blockCount = 0;
    this.#isAsked = false;
    this.#media = new MediaViews({
      texts: head.texts,
      read: (number, offset) => this.#read(number, offset),
      open: (number) => this.#press(number, 'open'),
    });
    this.#end = line('facts loading', head.texts.loading);
    this.#root.replaceChildren(...this.#headOf(head), this.#end);
    // Another view that has the focus keeps it. A tool that is disabled has other buttons.
    if (focused !== undefined && document.hasFocus()) {
      const at = head.buttons.findIndex(({ verb }) => verb === focused);
      this.#bar[Math.max(at, 0)]?.focus({ preventScroll: true });
    }
    this.#observer.disconnect();
    this.#observer.observe(this.#end);
    this.#askForMore();
  }

  #headOf(head: PageHead): readonly HTMLElement[] {
    this.#bar = head.buttons.map(({ verb, label }) =>
      button(label, 'action', () => this.#send({ type: 'headVerb', verb })),
    );
    const bar = element('header', { className: 'bar' }, ...this.#bar);
    const facts = this.#folding(factsKey, head.summary, 'summary');
    for (const detail of head.details) facts.append(line('detail', detail));
    const problems = head.problems.map((problem) => line('problem', problem));
    const isDocument = head.isDocument === true;
    this.#root.classList.toggle('document', isDocument);
    const title = element('h1', { className: isDocument ? '' : 'unseen', text: head.title });
    title.dir = 'auto';
    return [title, bar, facts, ...problems];
  }

  /** A collapsed element that stays open once the user has opened it. */
  #folding(key: number, label: string, className: string): HTMLDetailsElement {
    const made = element('details', { className });
    const summary = element('summary', { text: label });
    summary.dir = 'auto';
    made.append(summary);
    made.open = this.#open.has(key);
    made.addEventListener('toggle', () => {
      if (made.open) this.#open.add(key);
      else this.#open.delete(key);
      this.#remember();
    });
    return made;
  }

  #askForMore(): void {
    if (this.#isAsked || this.#head === undefined) return;
    if (this.#blockCount >= this.#head.blockCount) {
      this.#end.remove();
      return;
    }
    this.#isAsked = true;
    this.#send({ type: 'blocks', edition: this.#edition, from: this.#blockCount });
  }

  async #drawBlocks({ edition, from, blocks }: BlocksToPage): Promise<void> {
    // The answer may have been replaced while these blocks waited.
    if (edition !== this.#edition || from !== this.#blockCount) return;
    for (const block of blocks) {
      const isDrawn = await inTurns(this.#drawBlock(block)).then(
        () => true,
        () => false,
      );
      if (this.#edition !== edition) return;
      if (!isDrawn) this.#end.before(line('problem', this.#head?.texts.notShown ?? ''));
    }
    this.#blockCount += blocks.length;
    this.#isAsked = false;
    if (blocks.length === 0) return this.#end.remove();
    // An observer reports only changes, so an element that is still visible is observed again.
    this.#observer.unobserve(this.#end);
    this.#observer.observe(this.#end);
    const { scroll, blocks: wanted } = this.#wanted;
    const all = this.#head?.blockCount ?? 0;
    if (this.#blockCount < Math.min(wanted, all)) this.#askForMore();
    else if (this.#isRestoring) {
      this.#isRestoring = false;
      window.scrollTo(0, scroll);
    }
    if (this.#blockCount >= all) this.#end.remove();
  }

  *#drawBlock(block: PageBlock): Generator<void> {
    const { number, title, facts, notes, buttons, body, isError, isFolded } = block;
    const isOnly = this.#head?.blockCount === 1;
    const section = element('section', { className: `block ${isError ? 'error' : ''}` });
    const heading = element('h2', { className: this.#isQuiet(body) ? 'quiet' : '', text: title });
    heading.dir = 'auto';
    const row = element('div', { className: 'row' }, heading, line('facts', facts));
    for (const { verb, label } of buttons) {
      // The button at the top saves the whole answer.
      if (isOnly && verb === 'save') continue;
      const made = button(label, 'small', () => this.#press(number, verb));
      made.setAttribute('aria-label', `${label}: ${title}`);
      row.append(made);
    }
    section.append(row);
    const content = isFolded ? this.#folding(number, title, 'folded') : section;
    if (isFolded) {
      heading.remove();
      section.append(content);
    }
    if (isError)
      content.append(element('div', { className: 'unseen', text: this.#head?.texts.error ?? '' }));
    this.#end.before(section);
    yield* this.#drawBody(content, block, body);
    for (const note of notes) content.append(line('note', note));
    // The only part of an answer comes before its buttons.
    if (isOnly) section.append(row);
  }

  /** The name of a text is less important than the text, unless it is a heading of a document. */
  #isQuiet({ kind }: PageBlock['body']): boolean {
    return kind === 'nodes' && this.#head?.isDocument !== true;
  }

  *#drawBody(parent: HTMLElement, block: PageBlock, body: PageBlock['body']): Generator<void> {
    switch (body.kind) {
      case 'nodes': {
        const text = element('div', { className: body.isCode ? 'text code' : 'text' });
        parent.append(text);
        const { number } = block;
        const edition = this.#edition;
        yield* drawNodes(text, body.nodes, (link) =>
          this.#send({ type: 'link', edition, number, link }),
        );
        return;
      }
      case 'lines':
        for (const each of body.lines) parent.append(line('line', each));
        return;
      case 'grid':
        parent.append(this.#gridOf(block.number, body.size));
        return;
      case 'image':
      case 'audio':
      case 'video': {
        const place = this.#media?.place(block, body);
        if (place !== undefined) parent.append(place);
      }
    }
  }

  /** A placeholder for a list of rows, which is filled when its bytes arrive. */
  #gridOf(number: number, size: number): HTMLElement {
    const place = element('div', { className: 'text code' });
    const texts = this.#head?.texts;
    place.textContent = texts?.loading ?? '';
    void this.#readText(number, size).then(async (text) => {
      const read = text === undefined ? undefined : await readGrid(text);
      if (texts === undefined || !place.isConnected) return;
      if (read === undefined) {
        const shown = visibleText(text ?? texts.notShown, maxTextChars, { newlines: 'keep' });
        place.replaceChildren(element('pre', { text: shown }));
        return;
      }
      const view = new GridView(read.grid, texts, this.#grids.get(number), (state) => {
        this.#grids.set(number, state);
        this.#remember();
      });
      place.className = '';
      place.replaceChildren(...read.facts.map((fact) => line('fact', fact)), view.element);
      view.draw();
    });
    return place;
  }

  async #readText(number: number, size: number): Promise<string | undefined> {
    const decoder = new TextDecoder();
    let text = '';
    for (let offset = 0; offset < size;) {
      const piece = await this.#read(number, offset);
      if (piece === undefined || piece.length === 0) return undefined;
      text += decoder.decode(piece, { stream: true });
      offset += piece.length;
    }
    return text + decoder.decode();
  }

  #press(number: number, verb: PageBlock['buttons'][number]['verb']): void {
    this.#send({ type: 'partVerb', edition: this.#edition, number, verb });
  }

  #read(number: number, offset: number): Promise<Uint8Array | undefined> {
    return new Promise((resolve) => {
      this.#pieces.set(`${number}:${offset}`, resolve);
      this.#send({ type: 'bytes', edition: this.#edition, number, offset });
    });
  }

  #remember(): void {
    // The saved state is kept until it has been restored.
    if (this.#isRestoring) return;
    this.#setState({
      scroll: window.scrollY,
      blocks: this.#blockCount,
      open: [...this.#open],
      grids: [...this.#grids],
    });
  }
}

/** The state may come from an earlier version. */
function parseState(state: unknown): PageState {
  const { scroll, blocks, open, grids }: Partial<Record<keyof PageState, unknown>> =
    typeof state === 'object' && state !== null ? state : {};
  return {
    scroll: typeof scroll === 'number' ? scroll : 0,
    blocks: typeof blocks === 'number' ? blocks : 0,
    open: Array.isArray(open)
      ? open.filter((each): each is number => typeof each === 'number')
      : [],
    grids: Array.isArray(grids) ? grids.filter(isGridState) : [],
  };
}

function isGridState(entry: unknown): entry is readonly [number, GridState] {
  const [, state]: readonly unknown[] = Array.isArray(entry) ? entry : [];
  return (
    typeof state === 'object' &&
    state !== null &&
    typeof Reflect.get(state, 'filterText') === 'string'
  );
}
