import { button, element, line } from './nodes';
import type { PageBlock, PageBody, PageTexts } from './pageMessages';

export type MediaBody = Extract<PageBody, { mediaType: string }>;

/** An image with more pixels would use more memory than a window can spare. */
const maxPixels = 100_000_000;

export interface MediaOptions {
  readonly texts: PageTexts;
  /** Reads the piece at this offset of the file. Resolves to `undefined` if it is not available. */
  readonly read: (number: number, offset: number) => Promise<Uint8Array | undefined>;
  readonly open: (number: number) => void;
}

/** Images, audio and video. They are read one after the other, when they scroll into view. */
export class MediaViews {
  readonly #options: MediaOptions;
  readonly #waiting = new Map<Element, () => Promise<void>>();
  readonly #urls: string[] = [];
  readonly #observer = new IntersectionObserver((entries) => this.#see(entries), {
    rootMargin: '400px',
  });
  #last: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(options: MediaOptions) {
    this.#options = options;
  }

  /** The placeholder of a part. Its content is loaded when it scrolls into view. */
  place(block: PageBlock, body: MediaBody): HTMLElement {
    const place = element('figure', { className: `media ${body.kind}` });
    const waiting = line('facts', this.#options.texts.loading);
    place.append(waiting);
    this.#waiting.set(place, () => this.#load(place, block, body));
    this.#observer.observe(place);
    return place;
  }

  dispose(): void {
    this.#isOver = true;
    this.#observer.disconnect();
    for (const url of this.#urls) URL.revokeObjectURL(url);
  }

  #see(entries: readonly IntersectionObserverEntry[]): void {
    for (const { isIntersecting, target } of entries) {
      const load = isIntersecting ? this.#waiting.get(target) : undefined;
      if (load === undefined) continue;
      this.#waiting.delete(target);
      this.#observer.unobserve(target);
      this.#last = this.#last.then(load);
    }
  }

  async #load(place: HTMLElement, block: PageBlock, body: MediaBody): Promise<void> {
    const { texts } = this.#options;
    const url = this.#isOver ? undefined : await this.#urlOf(block.number, body);
    if (this.#isOver) return;
    const drawn =
      url && (await (body.kind === 'image' ? loadImage(url) : loadPlayer(url, body.kind)));
    if (drawn === undefined || drawn === '') {
      const sentence = body.kind === 'image' ? texts.notDrawable : texts.notPlayable;
      place.replaceChildren(line('note', sentence));
      return;
    }
    if (!(drawn instanceof HTMLImageElement)) {
      drawn.setAttribute('aria-label', block.title);
      place.replaceChildren(drawn);
      return;
    }
    drawn.alt = block.title;
    const press = button('', 'picture', () => this.#options.open(block.number));
    press.title = texts.openPicture;
    press.append(drawn);
    const size = `${drawn.naturalWidth} × ${drawn.naturalHeight}`;
    place.replaceChildren(press, element('figcaption', { className: 'facts', text: size }));
  }

  async #urlOf(number: number, { mediaType, size }: MediaBody): Promise<string | undefined> {
    const pieces: BlobPart[] = [];
    for (let offset = 0; offset < size;) {
      const piece = await this.#options.read(number, offset);
      if (piece === undefined || piece.length === 0) return undefined;
      pieces.push(Uint8Array.from(piece));
      offset += piece.length;
    }
    const url = URL.createObjectURL(new Blob(pieces, { type: mediaType }));
    this.#urls.push(url);
    return url;
  }
}

/**
 * Returns `undefined` if the image cannot be drawn or has too many pixels. It is not decoded before
 * its size is known.
 */
async function loadImage(url: string): Promise<HTMLImageElement | undefined> {
  const image = new Image();
  image.decoding = 'async';
  const isLoaded = await hasLoaded(image, 'load', () => (image.src = url));
  const { naturalWidth: width, naturalHeight: height } = image;
  return isLoaded && width * height > 0 && width * height <= maxPixels ? image : undefined;
}

async function loadPlayer(
  url: string,
  kind: 'audio' | 'video',
): Promise<HTMLMediaElement | undefined> {
  const player = document.createElement(kind);
  player.controls = true;
  player.preload = 'metadata';
  const isLoaded = await hasLoaded(player, 'loadedmetadata', () => (player.src = url));
  return isLoaded ? player : undefined;
}

function hasLoaded(of: HTMLElement, event: string, begin: () => void): Promise<boolean> {
  return new Promise((resolve) => {
    of.addEventListener(event, () => resolve(true), { once: true });
    of.addEventListener('error', () => resolve(false), { once: true });
    begin();
  });
}
