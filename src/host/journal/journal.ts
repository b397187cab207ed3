import path from 'node:path';
import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import type { DecidedCallFacts } from '../consent/facts/callFacts';
import type { EntryPlace, NewEntry, SegmentTip, DecisionEntry } from './entry';
import { JournalError, toJournalError } from './journalError';
import { journalRows, type JournalRow, readPastCalls } from './journalRows';
import { applyRetention, type JournalLimits } from './retention';
import {
  readAllEnds,
  readEnds,
  unnamedTips,
  type SegmentEnds,
  repairTornLine,
  mayBeWriting,
  isSegmentName,
  listSegments,
  SegmentWriter,
  type TimedEntry,
} from './segmentWriter';
import { lineAt, linesOf } from './segmentLines';
import { verifyJournal, type VerifyProgress, type VerifyReport } from './verify';
import { readLine } from './journalLine';

/** A problem for the user, reported once while it lasts. */
export type JournalProblem =
  | { readonly kind: 'unwritable'; readonly error: JournalError }
  /** The journal is writable again. It records how many entries were lost meanwhile. */
  | { readonly kind: 'writableAgain'; readonly lost: number }
  /** Leftovers of dead windows or old segments could not be cleaned up. */
  | { readonly kind: 'untidy'; readonly error: JournalError };

export interface JournalOptions {
  /** Created at the first entry. */
  readonly folder: string;
  readonly limits: () => JournalLimits;
  readonly onProblem: (problem: JournalProblem) => void;
  /** Milliseconds since the epoch. Defaults to the system clock. */
  readonly now?: () => number;
}

interface Waiting extends TimedEntry {
  readonly isDurable: boolean;
  readonly settle: (error: JournalError | undefined) => void;
}

/**
 * A segment is ended after this time, so that old parts can be removed while a window stays open
 * for weeks.
 */
const longestSegmentMs = 24 * 60 * 60 * 1_000;
/** Written entries are kept in memory until the segment was checked again after this time. */
const checkEveryMs = 50;
/** Share of the limit for one window's segment; the rest is for the past. */
const segmentShare = 1 / 8;

/**
 * The append-only record of every call and decision. Each window writes segments of its own, so
 * that windows need no lock and lose nothing. Entries of one turn are one write.
 */
export class Journal implements Disposable {
  readonly folder: string;
  readonly #options: JournalOptions;
  #writer: SegmentWriter | undefined;
  /** Names of the segments of this window. */
  readonly #own = new Set<string>();
  /** Tip of a segment of this window that was removed while it was written. */
  #lostTip: SegmentTip | undefined;
  #waiting: Waiting[] = [];
  /**
   * Entries written since the segment was last found intact. They are written again if it turns out
   * not to be.
   */
  #unchecked: TimedEntry[] = [];
  #checkedAt = -Infinity;
  #check: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #tidying: Promise<void> = Promise.resolve();
  #lost = 0;
  #lostSince: number | undefined;
  #isDisposed = false;

  readonly #onDidChange = new Emitter<void>();
  /** Fires after every write of this window, however many entries it had. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.folder = options.folder;
  }

  /** Writes an entry soon. Never throws; what cannot be written is reported and counted. */
  append(content: NewEntry): void {
    void this.write(content);
  }

  /**
   * Resolves when the entry will survive the end of this window, even a crash. Never rejects: what
   * cannot be written is reported and counted.
   */
  write(content: NewEntry): Promise<void> {
    return new Promise((resolve) => this.#add(content, false, () => resolve()));
  }

  /**
   * Resolves when the entry will survive a power failure, for actions that require it.
   * @throws {JournalError}
   */
  record(content: NewEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#add(content, true, (error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  /** Yields everything, newest first; see {@link journalRows}. */
  async *rows(): AsyncGenerator<JournalRow> {
    await this.#settled();
    yield* journalRows(this.folder);
  }

  /**
   * Returns the line of an entry; `undefined` if there is none. @throws what the file system throws
   */
  async textAt({ segment, offset }: EntryPlace): Promise<string | undefined> {
    // The name comes from the URI of a document, which any extension can make up.
    if (!isSegmentName(segment)) return undefined;
    const line = await lineAt(path.join(this.folder, segment), offset);
    return line === undefined ? undefined : Buffer.from(line).toString('utf8');
  }

  /** Returns the calls that rules can be tried on, newest first; see {@link readPastCalls}. */
  async pastCalls(): Promise<readonly DecidedCallFacts[]> {
    await this.#settled();
    return readPastCalls(this.folder);
  }

  /** Verifies the journal; see {@link verifyJournal}. */
  async verify(progress?: VerifyProgress): Promise<VerifyReport> {
    await this.#settled();
    return verifyJournal(this.folder, progress);
  }

  /** Removes what exceeds the limits now. This also happens at the beginning of each segment. */
  applyRetention(): Promise<void> {
    this.#tidying = this.#tidying.then(() => this.#retain()).catch(this.#notifyUntidy);
    return this.#tidying;
  }

  /** Resolves when all entries are written, or reported as lost. Accepts no more entries. */
  async stop(): Promise<void> {
    await this.#tidying;
    this.#isDisposed = true;
    // The last write may begin a segment, which starts tidying.
    await this.#settled().then(() => this.#tidying);
    // This was the last check, because no segment that begins from now on would be closed.
    this.#unchecked = [];
    const writer = this.#writer;
    this.#writer = undefined;
    // The entries are written, and the system closes the handle with the process.
    await writer?.close().catch(() => undefined);
  }

  /** Starts to {@link stop} without waiting. */
  dispose(): void {
    this.#isDisposed = true;
    void this.stop();
    this.#onDidChange.dispose();
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  #add(content: NewEntry, isDurable: boolean, settle: Waiting['settle']): void {
    if (this.#isDisposed) return settle(new JournalError('it is closed', 'disposed'));
    this.#waiting.push({ at: this.#now(), content, isDurable, settle });
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // Entries of the same turn go into the same write.
    await endOfTurn();
    do {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#write(batch);
    } while (this.#waiting.length > 0);
    this.#writing = undefined;
    if (this.#unchecked.length === 0) return;
    this.#check ??= setTimeout(() => void this.#settled(), checkEveryMs).unref();
  }

  /** Resolves when all entries are written and were found intact. */
  async #settled(): Promise<void> {
    clearTimeout(this.#check);
    this.#check = undefined;
    while (this.#writing !== undefined) await this.#writing;
    this.#checkedAt = -Infinity;
    if (this.#unchecked.length > 0) await (this.#writing ??= this.#writeAll());
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const isDurable = batch.some((each) => each.isDurable);
    try {
      const writer = await this.#readyWriter(isDurable);
      // Entries of a segment that was removed while they were written.
      const rescued = writer.tip.lines === 1 ? this.#unchecked : [];
      const entries = [...this.#lostNote(), ...rescued, ...batch];
      if (entries.length === 0) return;
      await writer.append(entries, isDurable);
      // A durable write was checked before the others.
      if (!isDurable) this.#unchecked.push(...batch);
    } catch (thrown) {
      this.#lose(batch, toJournalError(thrown));
      return;
    }
    for (const { settle } of batch) settle(undefined);
    if (this.#lost > 0) this.#options.onProblem({ kind: 'writableAgain', lost: this.#lost });
    this.#lost = 0;
    this.#lostSince = undefined;
    this.#onDidChange.fire();
  }

  #lostNote(): readonly TimedEntry[] {
    const since = this.#lostSince;
    if (since === undefined) return [];
    const content = { kind: 'note', note: 'entriesLost', count: this.#lost, since } as const;
    return [{ at: this.#now(), content }];
  }

  #lose(batch: readonly Waiting[], error: JournalError): void {
    if (this.#lost === 0) this.#options.onProblem({ kind: 'unwritable', error });
    // Without new entries, those that were to be written again are lost.
    const lost = batch.length === 0 ? this.#unchecked.splice(0) : batch;
    this.#lost += lost.length;
    this.#lostSince ??= lost[0]?.at;
    for (const { settle } of batch) settle(error);
  }

  /** Returns the writer of this window's segment, or of a new one. */
  async #readyWriter(isDurable: boolean): Promise<SegmentWriter> {
    const now = this.#now();
    const before = this.#writer;
    if (before !== undefined) {
      const maxBytes = this.#options.limits().maxBytes * segmentShare;
      const isFull = before.bytes > maxBytes || now - before.startedAt > longestSegmentMs;
      const mayTrust = !isDurable && !isFull && performance.now() - this.#checkedAt < checkEveryMs;
      const isIntact = mayTrust || (await this.#isIntact(before));
      if (isIntact && !isFull) return before;
      this.#writer = undefined;
      if (!isIntact) this.#lostTip = before.tip;
      await before.close().catch(() => undefined);
    }
    // An unreadable segment must not prevent writing.
    const tips = unnamedTips(await readAllEnds(this.folder));
    const lost = tips.some(({ hash }) => hash === this.#lostTip?.hash) ? undefined : this.#lostTip;
    const known = lost === undefined ? tips : [...tips, lost];
    this.#writer = await SegmentWriter.begin(this.folder, now, known);
    this.#own.add(this.#writer.name);
    this.#lostTip = undefined;
    this.#tidying = this.#tidying.then(() => this.#tidy(known)).catch(this.#notifyUntidy);
    return this.#writer;
  }

  async #isIntact(writer: SegmentWriter): Promise<boolean> {
    const isIntact = await writer.isIntact();
    this.#checkedAt = performance.now();
    if (isIntact) this.#unchecked = [];
    return isIntact;
  }

  async #tidy(known: readonly SegmentTip[]): Promise<void> {
    for (const segment of await listSegments(this.folder)) {
      if (segment.name === this.#writer?.name) continue;
      const ends = await readEnds(this.folder, segment);
      await repairTornLine(this.folder, ends, this.#now(), (note) => this.record(note));
    }
    await this.#retain();
    for (const callId of await openCalls(this.folder, known, this.#now())) {
      this.append({ kind: 'outcome', callId, outcome: 'windowEnded', durationMs: 0 });
    }
  }

  async #retain(): Promise<void> {
    await applyRetention({
      ...this.#options.limits(),
      folder: this.folder,
      now: this.#now(),
      current: this.#writer?.name,
      own: this.#own,
      note: (entry) => this.record(entry),
    });
  }

  readonly #notifyUntidy = (thrown: unknown): void => {
    const error = toJournalError(thrown);
    // An unwritable disk was reported already, and a closing journal is no problem.
    if (this.#lost > 0 || error.code === 'disposed') return;
    this.#options.onProblem({ kind: 'untidy', error });
  };
}

/** Resolves when all immediate work is done, before the next event is handled. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Far more than the calls that run when a window ends. */
const maxOpenCalls = 10_000;

/**
 * Returns the ids of calls without an end, because their window ended. Reads the segments written
 * since another window last began, which `unnamed` names.
 * @throws what the file system throws for the folder
 */
async function openCalls(
  folder: string,
  unnamed: readonly SegmentTip[],
  now: number,
): Promise<readonly string[]> {
  const names = new Set(unnamed.map(({ segment }) => segment));
  const all = (await readAllEnds(folder)).filter(({ header }) => header !== undefined);
  const isLeft = (ends: SegmentEnds): boolean =>
    names.has(ends.segment.name) && !mayBeWriting(ends, now);
  const windows = new Set(all.filter(isLeft).map(windowOf));
  const open = new Set<string>();
  // The decision and the end of a call may be in different segments of its window.
  for (const ends of all) {
    if (!windows.has(windowOf(ends))) continue;
    await follow(path.join(folder, ends.segment.name), open, !mayBeWriting(ends, now));
  }
  return [...open].slice(-maxOpenCalls);
}

function windowOf({ header }: SegmentEnds): string {
  return `${header?.pid} ${header?.host}`;
}

async function follow(file: string, open: Set<string>, isLeft: boolean): Promise<void> {
  for await (const lines of linesOf(file)) {
    for (const { bytes } of lines) {
      const read = readLine(bytes);
      if (read.kind !== 'entry') continue;
      const { content } = read.entry;
      if (isLeft && content.kind === 'decision' && runs(content)) open.add(content.callId);
      else if (content.kind === 'outcome') open.delete(content.callId);
    }
  }
}

/** Returns true if the call was made, so that it needs an end. */
function runs({ effect, answer }: DecisionEntry): boolean {
  return effect === 'allow' || (effect === 'ask' && answer === 'run');
}
