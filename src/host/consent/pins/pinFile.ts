import { createHash, randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { openRegularFile } from '../../../core/bounds/regularFile';
import { Freshness, type Look, type SharedChanges } from '../../storage/sharedChanges';
import { fileStamp, type FileStamp, setAside } from '../../storage/recordFile';
import type { StorageProblem } from '../../storage/recordStore';
import { parseAcceptedDefinition, type AcceptedDefinition } from './pinDefinition';
import {
  changeLine,
  headerLine,
  parseHeader,
  parseLine,
  type Pin,
  type PinChange,
  type PlacedChange,
  type PlacedPin,
  readDefinition,
  readPinHeader,
  readLines,
  appendLines,
  writeWhole,
  type WriteLine,
} from './pinFileFormat';
import { WorkTurns } from '../../../core/bounds/workTurns';
import { isNotFound } from '../../../core/bounds/systemError';

export interface PinFileOptions {
  /** Created at the first write. */
  readonly folder: string;
  /** The server of the pins; see `serverKey`. */
  readonly server: string;
  readonly onProblem: (problem: StorageProblem) => void;
  /** Announces changes between windows. */
  readonly changes: SharedChanges;
}

/** Limit for the server key in the first line. The file name distinguishes longer keys. */
const maxServerChars = 2_000;
/** A file is rewritten when it has this many more lines than twice the number of its pins. */
const spareLines = 1_000;

/**
 * The accepted tools of one server, in a file that several windows share. Definitions are read from
 * the file when they are needed. Long work is done in slices, however many tools there are.
 * Operations run in the order of the calls.
 */
export class PinFile {
  readonly #file: string;
  readonly #server: string;
  readonly #onProblem: (problem: StorageProblem) => void;
  #state: 'absent' | 'present' | 'unreadable' = 'absent';
  #pins = new Map<string, PlacedPin>();
  #id = '';
  /** Undefined until something was read. */
  #stamp: FileStamp | undefined;
  /** Offset after the last complete line that was read. */
  #end = 0;
  #isTorn = false;
  #lines = 0;
  readonly #told = new Set<string>();
  readonly #changes: SharedChanges;
  readonly #freshness = new Freshness();
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor({ folder, server, onProblem, changes }: PinFileOptions) {
    const name = `${createHash('sha256').update(JSON.stringify(server)).digest('hex')}.pins`;
    this.#file = path.join(folder, name);
    this.#server = server.slice(0, maxServerChars);
    this.#onProblem = onProblem;
    this.#changes = changes;
  }

  /**
   * The state at the last refresh. `absent`: no tool of the server was ever accepted. `unreadable`:
   * the accepted tools are unknown.
   */
  get state(): 'absent' | 'present' | 'unreadable' {
    return this.#state;
  }

  /** Keyed by `pinName`, from the last refresh. */
  get pins(): ReadonlyMap<string, Pin> {
    return this.#pins;
  }

  /** Reads what other windows wrote; resolves with true if there was something. Never rejects. */
  refresh(): Promise<boolean> {
    return this.#inTurn(() => this.#refresh());
  }

  /** Returns true if {@link keepUp} would read nothing, for callers that would wait for it. */
  isCurrent(look: Look): boolean {
    return this.#freshness.holds(look);
  }

  /** Like {@link refresh}, but reads nothing if the data is still current. Never rejects. */
  async keepUp(look?: Look): Promise<boolean> {
    const now = look ?? (await this.#changes.look());
    return this.#inTurn(async () => {
      // An earlier turn may have read it meanwhile.
      if (this.#freshness.holds(now)) return false;
      return this.#freshness.during(now, () => this.#refresh());
    });
  }

  /**
   * Accepts `changes` as the first seen tools of the server, unless another window was faster.
   * Never rejects: what cannot be written is reported and kept in memory.
   */
  begin(changes: readonly PinChange[]): Promise<void> {
    return this.#inTurn(async () => {
      await this.#refresh();
      if (this.#state === 'absent') await this.#write(changes, () => this.#create(changes));
    });
  }

  /** Accepts further `changes`. Never rejects, like {@link begin}. */
  add(changes: readonly PinChange[]): Promise<void> {
    return this.#inTurn(async () => {
      await this.#refresh();
      if (changes.length === 0 || this.#state !== 'present') return;
      await this.#write(changes, () => this.#append(changes));
      if (this.#lines > this.#pins.size * 2 + spareLines) {
        await this.#write([], () => this.#compact());
      }
    });
  }

  /**
   * Returns the accepted definition of this name; `undefined` if there is none or it cannot be
   * read.
   */
  definition(name: string): Promise<AcceptedDefinition | undefined> {
    return this.#inTurn(async () => {
      await this.#refresh();
      const pin = this.#pins.get(name);
      if (pin?.definition !== undefined) return parseAcceptedDefinition(pin.definition);
      if (pin?.offset === undefined) return undefined;
      try {
        return await this.#reading((handle) => readDefinition(handle, pin)).then(
          parseAcceptedDefinition,
        );
      } catch (error) {
        this.#notify('unreadable', messageOf(error));
        return undefined;
      }
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  async #refresh(): Promise<boolean> {
    const before = this.#state;
    try {
      const stamp = await fileStamp(this.#file);
      if (stamp === this.#stamp && before === 'present') return false;
      await this.#read(stamp);
      return true;
    } catch (error) {
      const isAbsent = isNotFound(error);
      // Pins that could not be written are kept while the window lives.
      if (isAbsent && before === 'present' && this.#stamp === undefined) return false;
      this.#forget(isAbsent ? 'absent' : 'unreadable');
      if (!isAbsent) this.#notify('unreadable', messageOf(error));
      return before !== this.#state;
    }
  }

  #forget(state: 'absent' | 'unreadable'): void {
    this.#state = state;
    this.#pins = new Map();
    this.#id = '';
    this.#stamp = undefined;
    this.#end = 0;
    this.#isTorn = false;
    this.#lines = 0;
  }

  async #read(stamp: FileStamp): Promise<void> {
    const fault = await this.#reading(async (handle) => {
      const { line, end } = await readPinHeader(handle);
      const header = parseHeader(line);
      if (typeof header === 'string') return header;
      if (header.server !== this.#server) return 'otherKey';
      const { size } = await handle.stat();
      const goesOn = header.id === this.#id && size >= this.#end;
      if (!goesOn) {
        this.#lines = 0;
        this.#end = end;
      }
      await this.#readChanges(handle, goesOn ? this.#pins : new Map());
      this.#id = header.id;
      this.#state = 'present';
      this.#stamp = stamp;
      return undefined;
    });
    if (fault !== undefined) await this.#reject(stamp, fault);
  }

  /** Applied at once, so that no caller sees a mix of states. */
  async #readChanges(handle: FileHandle, known: ReadonlyMap<string, PlacedPin>): Promise<void> {
    const changes: PlacedChange[] = [];
    let faults = 0;
    const { end, isTorn } = await readLines(handle, this.#end, (line, offset) => {
      const change = parseLine(line, offset);
      if (change === undefined) faults += 1;
      else changes.push(change);
    });
    const pins = new Map(known);
    const turns = new WorkTurns();
    for (const { name, pin } of changes) {
      if (turns.isOver) await turns.giveWay();
      if (pin === undefined) pins.delete(name);
      else pins.set(name, pin);
    }
    this.#pins = pins;
    this.#lines += changes.length;
    this.#end = end;
    this.#isTorn = isTorn;
    if (faults > 0) this.#notify('notARecord', `${faults} of its lines cannot be read`);
  }

  /** The file is invalid. From now on, no tool of the server counts as accepted. */
  async #reject(stamp: FileStamp, code: StorageProblem['code']): Promise<void> {
    // A newer version of the extension will need the file again.
    if (code === 'otherVersion') throw new Error('written by a newer version');
    const setAsideAs = await setAside(this.#file, stamp);
    this.#notify(code, 'its first line does not say whose pins they are', setAsideAs);
    // Creates an empty file, so that the current tools do not count as first seen.
    await this.#create([]);
    await this.#read(await fileStamp(this.#file));
  }

  /** Does `work`; if it fails, `changes` are kept in memory. */
  async #write(changes: readonly PinChange[], work: () => Promise<void>): Promise<void> {
    try {
      await this.#changes.during(work);
      await this.#refresh();
    } catch (error) {
      this.#notify('unreadable', messageOf(error));
      if (this.#state === 'absent') this.#state = 'present';
      for (const { name, pin, definition } of changes) {
        if (pin === undefined) this.#pins.delete(name);
        else this.#pins.set(name, { ...pin, ...(definition === undefined ? {} : { definition }) });
      }
    }
  }

  #create(changes: readonly PinChange[]): Promise<void> {
    return this.#writeWhole(false, async (write) => {
      for (const change of changes) await write(changeLine(change));
    });
  }

  #append(changes: readonly PinChange[]): Promise<void> {
    return appendLines(this.#file, async (write) => {
      // Ends the partial line of a window that died, so that it does not spoil this one.
      if (this.#isTorn) await write('\n');
      for (const change of changes) await write(changeLine(change));
    });
  }

  /**
   * Writes the current pins only. A simultaneous change of another window is lost and asked about
   * again.
   */
  #compact(): Promise<void> {
    return this.#reading((handle) =>
      this.#writeWhole(true, async (write) => {
        for (const [name, pin] of this.#pins) {
          const definition = pin.definition ?? (await readDefinition(handle, pin));
          await write(changeLine({ name, pin, definition }));
        }
      }),
    );
  }

  #writeWhole(replaces: boolean, fill: (write: WriteLine) => Promise<void>): Promise<void> {
    const header = headerLine({ id: randomUUID(), server: this.#server });
    return writeWhole(
      this.#file,
      async (write) => {
        await write(header);
        await fill(write);
      },
      replaces,
    );
  }

  async #reading<T>(work: (handle: FileHandle) => Promise<T>): Promise<T> {
    const { handle } = await openRegularFile(this.#file);
    try {
      return await work(handle);
    } finally {
      await handle.close();
    }
  }

  /** Reports each kind of problem once; the first report says where to look. */
  #notify(code: StorageProblem['code'], detail: string, setAsideAs?: string): void {
    if (this.#told.has(code)) return;
    this.#told.add(code);
    const problem = { file: this.#file, code, detail };
    this.#onProblem(setAsideAs === undefined ? problem : { ...problem, setAsideAs });
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
