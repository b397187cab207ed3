import path from 'node:path';
import { Emitter, type Disposable } from 'vscode-jsonrpc/node';
import type { SchemaViolation, ToolResult } from '../../core/types';
import { callFolder } from '../results/resultStore';
import { latestFirst, wasRecordFile } from '../storage/recordFile';
import { RecordStore, StorageError, type StorageProblem } from '../storage/recordStore';
import { Answers } from './answers';
import {
  lastCallOfEachTool,
  callsAboveLimits,
  type HistoryLimits,
  parsePastCall,
  type AnswerOmission,
  type PastAnswer,
  type PastCall,
  type RestorableCall,
} from './pastCall';
import { SessionCalls } from './sessionCalls';
import { WriteBehind } from './writeBehind';
import { bytesInMemory } from '../../core/json/valueWeight';
import { systemErrorCode } from '../../core/bounds/systemError';

export interface HistoryOptions {
  /** Created at the first write. */
  readonly folder: string;
  /** Read for each call. */
  readonly limits: () => HistoryLimits;
  /** Returns true if a document in this folder is open. Such a call is never removed. */
  readonly isOpen: (documents: string) => boolean;
  readonly onProblem: (problem: StorageProblem) => void;
  /** Defaults to the system clock. */
  readonly now?: () => number;
}

/**
 * Ended calls, over restarts: one small file for each, and one for its answer. Several windows
 * share the folder and see each other's changes at the next refresh.
 */
export class History implements Disposable {
  readonly #options: HistoryOptions;
  readonly #records: RecordStore<PastCall>;
  readonly #answers: Answers;
  readonly #now: () => number;
  #calls: readonly PastCall[] | undefined;
  #isRead: Promise<void> | undefined;
  #trimming: Promise<void> | undefined;
  #trimsAgain = false;
  #hasLookedForOrphans = false;
  readonly #behind: WriteBehind<CallToStore>;
  readonly #ofSession = new SessionCalls();

  readonly #onDidChange = new Emitter<void>();
  /** Fires when the calls changed. */
  readonly onDidChange = this.#onDidChange.event;

  readonly #onDidVanish = new Emitter<readonly string[]>();
  /** Fires for calls of this session that another window removed from disk. */
  readonly onDidVanish = this.#onDidVanish.event;

  constructor(options: HistoryOptions) {
    const { folder, onProblem, now = Date.now } = options;
    this.#options = options;
    this.#now = now;
    this.#answers = new Answers(path.join(folder, 'answers'));
    this.#records = new RecordStore({
      folder: path.join(folder, 'calls'),
      parse: parsePastCall,
      onProblem,
    });
    this.#behind = new WriteBehind({
      write: ({ call, answer }) => this.#keep(call, answer),
      onWritten: () => this.trim(),
      most: () => options.limits().maxCalls,
      isPinned: ({ answer }) => {
        const documents = answer?.pathOf();
        return documents !== undefined && options.isOpen(documents);
      },
      bytesOf: ({ bytes = 0 }) => bytes,
      isLarge: isLargeAnswer,
    });
    this.#records.onDidChange(() => {
      this.#calls = undefined;
      this.#onDidChange.fire();
      this.#notifyVanished();
    });
  }

  /** As of the last refresh, newest first. */
  get calls(): readonly PastCall[] {
    this.#calls ??= latestFirst(
      this.#records.entries().flatMap(([key, call]) => (key === call.callId ? [call] : [])),
      ({ endedAt }) => endedAt,
    );
    return this.#calls;
  }

  /** The same with the last ones of this session that are not on disk, or not yet; newest first. */
  get knownCalls(): readonly PastCall[] {
    return latestFirst(this.#oldestFirst(), ({ endedAt }) => endedAt);
  }

  /** Returns the last sent call of each tool, newest first; reads the disk first. */
  async lastOfEachTool(): Promise<readonly PastCall[]> {
    await this.read();
    return lastCallOfEachTool(this.#oldestFirst().filter(({ isPrompt }) => isPrompt !== true));
  }

  /** Also finds a call of this session that is not stored. */
  find(callId: string): PastCall | undefined {
    const call = this.#records.get(callId);
    if (call?.callId === callId) return call;
    return this.#behind.get(callId)?.call ?? this.#ofSession.unwritten(callId);
  }

  /** Finds the call whose documents were in this folder; reads the disk first. */
  async findByPath(documents: string): Promise<PastCall | undefined> {
    await this.read();
    return this.calls.find(({ answer }) => answer?.path === documents);
  }

  /** Resolves when {@link calls} contains what is on disk, at the latest after the first read. */
  read(): Promise<void> {
    this.#isRead ??= this.refresh();
    return this.#isRead;
  }

  /**
   * Applies what other windows wrote and removed, and then removes calls above the limits. Never
   * rejects.
   */
  async refresh(): Promise<void> {
    await this.#records.refresh();
    this.trim();
  }

  /**
   * Stores a call soon, its answer first. When many come fast, those above the limits are not
   * written. Never throws: what cannot be written is reported and missing later.
   */
  keep(call: PastCall, answer?: NewAnswer): void {
    const { maxCalls, maxBytes } = this.#options.limits();
    this.#ofSession.add(maxCalls === 0 ? withoutAnswer(call, 'turnedOff') : call);
    if (maxCalls === 0) return;
    this.#behind.add(call.callId, callToStore(call, answer, this.#behind.waitingBytes, maxBytes));
  }

  /** Sets the folder of its documents. */
  async setPath(callId: string, documents: string): Promise<void> {
    const call = this.find(callId);
    if (call?.answer === undefined || call.answer.path === documents) return;
    const moved = { ...call, answer: { ...call.answer, path: documents } };
    const waiting = this.#behind.get(callId);
    if (waiting === undefined) await this.#put(moved);
    else this.#behind.replace(callId, { ...waiting, call: moved });
  }

  /** Returns the answer. @throws {Error} if it was not stored, or cannot be read */
  async answerOf({ callId }: PastCall): Promise<ToolResult> {
    return this.#behind.get(callId)?.answer?.result ?? (await this.#answers.read(callId));
  }

  /** Returns enough to restore its documents at their path. @throws what {@link answerOf} throws */
  async restorable(call: PastCall): Promise<RestorableCall | undefined> {
    const { callId, answer, startedAt, sentAt, durationMs } = call;
    if (answer === undefined || answer.omitted !== undefined) return undefined;
    const { omitted: _, path: known, ...facts } = answer;
    return {
      ...facts,
      callId,
      path: known ?? callFolder(call.server, call.tool, sentAt ?? startedAt, callId),
      serverId: call.server,
      serverLabel: call.serverLabel,
      toolName: call.tool,
      toolTitle: call.toolTitle,
      ...(call.isPrompt && { isPrompt: call.isPrompt }),
      createdAt: sentAt ?? startedAt,
      durationMs,
      result: await this.answerOf(call),
    };
  }

  /** Resolves when they and their answers are gone. @throws {StorageError} */
  async remove(callIds: readonly string[]): Promise<void> {
    // A call that is still being written would come back.
    await this.#behind.settle();
    await this.#remove(callIds);
  }

  /**
   * Resolves when all calls are gone, including files that were set aside. @throws {StorageError}
   */
  async clear(): Promise<void> {
    await this.#settle();
    this.#ofSession.forgetAll();
    await this.#answers.removeAll((names) =>
      this.#records.removeAll((name) => names?.has(name) ?? wasRecordFile(name)),
    );
  }

  /** Removes calls above the limits, in the background. */
  trim(): void {
    this.#trimsAgain = true;
    this.#trimming ??= this.#trim().finally(() => (this.#trimming = undefined));
  }

  /** Resolves when everything pending is on disk. */
  async stop(): Promise<void> {
    await this.#settle();
  }

  dispose(): void {
    this.#records.dispose();
    this.#onDidChange.dispose();
    this.#onDidVanish.dispose();
  }

  #oldestFirst(): readonly PastCall[] {
    return [...this.calls.toReversed(), ...this.#ofSession.allUnwritten()];
  }

  #notifyVanished(): void {
    // While something cannot be read, it is unknown what was removed.
    if (!this.#records.isComplete) return;
    const gone = this.#ofSession.takeVanished((id) => this.#records.get(id) !== undefined);
    if (gone.length > 0) this.#onDidVanish.fire(gone);
  }

  async #remove(callIds: readonly string[]): Promise<void> {
    for (const callId of callIds) {
      this.#ofSession.forget(callId);
      // The record is removed first: if this is interrupted, the answer is found as an orphan.
      await this.#records.remove(callId);
      await this.#answers.remove(callId);
    }
  }

  async #settle(): Promise<void> {
    await this.#behind.settle();
    await this.#trimming;
  }

  async #keep(call: PastCall, answer?: NewAnswer): Promise<void> {
    if (answer === undefined || call.answer === undefined) await this.#put(call);
    else {
      const written = await this.#writeAnswer(call.callId, answer);
      const documents = answer.pathOf();
      const kept: PastAnswer = {
        ...call.answer,
        ...(typeof written === 'number' ? {} : { omitted: written }),
        ...(written === 'secret' ? { violations: withoutPlaces(call.answer.violations) } : {}),
        ...(documents === undefined ? {} : { path: documents }),
      };
      const bytes = call.bytes + (typeof written === 'number' ? written : 0);
      await this.#put({ ...call, answer: kept, bytes });
      if (typeof written === 'number') await this.#removeIfCleared(call.callId);
    }
  }

  async #writeAnswer(
    callId: string,
    { result, repeatsSecret }: NewAnswer,
  ): Promise<number | AnswerOmission> {
    const { maxAnswerBytes, maxBytes } = this.#options.limits();
    try {
      if ((await repeatsSecret?.()) === true) return 'secret';
      const most = Math.min(maxAnswerBytes, maxBytes);
      return (await this.#answers.write(callId, result, most)) ?? 'tooLarge';
    } catch (error) {
      this.#notify(error);
      return 'unwritable';
    }
  }

  /** Any window may have cleared the history between the answer and the record. */
  async #removeIfCleared(callId: string): Promise<void> {
    if (await this.#answers.has(callId)) return;
    await this.#records.remove(callId).catch((error: unknown) => this.#notify(error));
  }

  async #put(call: PastCall): Promise<void> {
    try {
      await this.#records.put(call.callId, call);
      this.#ofSession.wrote(call.callId);
    } catch (error) {
      const { arguments: given, ...rest } = call;
      // Formatted, the arguments can exceed the size of a record. A disk that refuses a record must
      // not cost those that are stored.
      const isTooLarge = !isRefusedByDisk(error);
      if (given !== undefined && isTooLarge)
        await this.#put({ ...rest, argumentsOmitted: 'tooLarge' });
      else this.#notify(error);
    }
  }

  async #trim(): Promise<void> {
    while (this.#trimsAgain) {
      this.#trimsAgain = false;
      try {
        await this.read();
        const { limits, isOpen } = this.#options;
        const doomed = callsAboveLimits(this.calls, limits(), this.#now(), isOpen);
        await this.#remove(doomed.map(({ callId }) => callId));
        // The records decide, so all of them have to be known.
        if (this.#hasLookedForOrphans || !this.#records.isComplete) continue;
        await this.#records.refresh();
        if (!this.#records.isComplete) continue;
        this.#hasLookedForOrphans = true;
        await this.#answers.removeOrphans(this.calls.map(({ callId }) => callId));
      } catch (error) {
        this.#notify(error);
      }
    }
  }

  #notify(error: unknown): void {
    const { onProblem, folder } = this.#options;
    const detail = error instanceof Error ? error.message : String(error);
    const file = error instanceof StorageError ? error.file : folder;
    onProblem({ file, code: 'unreadable', detail });
  }
}

function isRefusedByDisk(error: unknown): boolean {
  const cause = error instanceof StorageError ? error.cause : error;
  return systemErrorCode(cause) !== undefined;
}

/**
 * Keeps that there are violations, but not their places in the answer, whose names may be secret.
 */
function withoutPlaces(violations: readonly SchemaViolation[]): readonly SchemaViolation[] {
  return violations.slice(0, 1).map(({ keyword }) => ({ pointer: '', message: '', keyword }));
}

/** The answer of a call, and what is determined before it is stored. */
interface NewAnswer {
  readonly result: ToolResult;
  /** Returns the path of its documents, as far as known when it has been written. */
  readonly pathOf: () => string | undefined;
  /**
   * Checked before anything is written. An answer that repeats a secret is not written. Defaults to
   * false.
   */
  readonly repeatsSecret?: () => Promise<boolean>;
}

/** A call that waits to be written. */
interface CallToStore {
  readonly call: PastCall;
  readonly answer?: NewAnswer;
  /** Memory that the answer takes. */
  readonly bytes?: number;
}

/** Hundreds of smaller answers may wait in memory. */
const largeBytes = 64 * 1024;

/** Returns true if an answer takes so much memory that it should be written soon. */
function isLargeAnswer({ bytes = 0 }: CallToStore): boolean {
  return bytes > largeBytes;
}

/**
 * Returns the call. Its answer is dropped if a slow disk has filled the memory for waiting answers.
 */
function callToStore(
  call: PastCall,
  answer: NewAnswer | undefined,
  waitingBytes: number,
  maxBytes: number,
): CallToStore {
  if (answer === undefined || call.answer === undefined) return { call };
  const bytes = bytesInMemory(answer.result);
  if (waitingBytes === 0 || waitingBytes + bytes <= maxBytes) return { call, answer, bytes };
  return { call: withoutAnswer(call, 'unwritable') };
}

function withoutAnswer(call: PastCall, omitted: AnswerOmission): PastCall {
  return call.answer === undefined ? call : { ...call, answer: { ...call.answer, omitted } };
}
