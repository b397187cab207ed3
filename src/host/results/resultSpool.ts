import { textBeginning } from '../../core/content/textBeginning';
import type { FilePart, Part } from '../../core/content/contentParts';
import type { StoredFile } from './resultStore';
import type { SpoolFolder } from './spoolFolder';
import { SpooledFile } from './spooledFile';

/** A part that is too large to be kept in memory. */
export interface SpooledPart extends FilePart {
  readonly spooled: SpooledFile;
  /** What is opened first of a text. */
  readonly beginning?: Beginning;
  readonly slices: () => AsyncIterable<Uint8Array>;
  readonly dispose: () => void;
}

/** The first lines of a large text, as a file of their own beside it. */
export interface Beginning extends StoredFile {
  readonly lines: number;
}

export interface ResultSpoolOptions {
  readonly folder: SpoolFolder;
  /** Larger parts are written to disk; asked at each part. */
  readonly aboveBytes: () => number;
  /** A part could not be written, so that it stays in memory. */
  readonly onError: (error: unknown) => void;
}

/** Parts of results on disk, as far as they are large. */
export class ResultSpool {
  readonly #options: ResultSpoolOptions;

  constructor(options: ResultSpoolOptions) {
    this.#options = options;
  }

  /** The parts as they are to be kept: the large ones let go of their bytes once these are written. */
  spool(parts: readonly Part[]): readonly Part[] {
    const aboveBytes = this.#options.aboveBytes();
    return parts.map((part) =>
      part.kind === 'link' || part.size <= aboveBytes ? part : this.#spoolOne(part),
    );
  }

  #spoolOne(part: FilePart): FilePart | SpooledPart {
    const bytes = part.read();
    // What is brought back from a disk is there already.
    if (!(bytes instanceof Uint8Array)) return part;
    const isText = part.excerpt !== undefined;
    const spooled = new SpooledFile(bytes, this.#options.folder, { isText });
    void spooled.settled.then(() => {
      if (spooled.error !== undefined) this.#options.onError(spooled.error);
    });
    const kept: SpooledPart = {
      ...part,
      spooled,
      read: () => spooled.read(),
      slices: () => spooled.slices(),
      dispose: () => spooled.dispose(),
    };
    if (!isText) return kept;
    const beginning = beginningOf(part, bytes);
    return { ...kept, beginning };
  }
}

/** What is stored of a part: itself, and the beginning of a large text beside it. */
export function filesOf(part: Part): readonly StoredFile[] {
  if (part.kind === 'link') return [];
  const { documentName: name, size, read } = part;
  if (!isSpooled(part)) return [{ name, size, read }];
  const { slices, dispose } = part;
  const file = { name, size, read, slices, dispose };
  return part.beginning === undefined ? [file] : [file, part.beginning];
}

/** Whether what stands there is a part that was too large to be kept in memory. */
export function isSpooled(part: Part): part is SpooledPart {
  return 'spooled' in part;
}

function beginningOf({ documentName: name }: FilePart, whole: Uint8Array): Beginning {
  const { bytes, lines } = textBeginning(whole);
  const dot = name.lastIndexOf('.');
  return {
    name: `${name.slice(0, dot)}-beginning${name.slice(dot)}`,
    size: bytes.length,
    lines,
    read: () => bytes,
  };
}
