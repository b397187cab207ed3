import { StatefulEra } from './statefulEra';
import { StatelessEra } from './statelessEra';
import type { Era, EraContext } from './era';
import { isMcpError, McpError, toMcpError } from '../errors';
import {
  parseDiscoverResult,
  type DiscoverResult,
  isStatelessError,
  versionsInError,
  requestMeta,
  statelessRevision,
  explainStatelessError,
  isHeaderMismatch,
  isRevisionRefused,
  noCommonRevisionError,
} from './statelessMeta';
import { StartClock } from './startClock';
import {
  isStatefulRevision,
  statefulRevisions,
  type EraKind,
  type PinnedEra,
  type StatefulRevision,
} from '../types';
import { newestStateful } from './statefulHandshake';

/** The era to remember for a server; `sse` is the stateful era over HTTP+SSE. */
export type KnownEra = EraKind | 'sse';

export interface EraOptions {
  /** `auto` detects the era; other values skip the probe. A revision is offered first. */
  readonly era?: 'auto' | PinnedEra;
  /**
   * The server's previous era, for `auto`. It is tried first, and detected again if it fails
   * (R-037).
   */
  readonly rememberedEra?: KnownEra;
  /** Called with the era to remember, and again if a late answer shows another one. */
  readonly onDidLearnEra?: (era: KnownEra) => void;
  /**
   * Called with the result of the probe, and its error if there was one. Not called if the probe
   * fails.
   */
  readonly onDidProbe?: (era: EraKind, answer: McpError | undefined) => void;
}

export interface ProbeTimes {
  readonly startTimeoutMs: number;
  readonly probeTimeoutMs: number;
}

/**
 * Detects the era of a server on the connection that will be used: sends `server/discover`, which
 * has no effect on any server, and then the handshake if the answer requires it.
 *
 * No answer within the probe's time limit means the stateful era. The probe is not cancelled,
 * because a server that only started slowly answers late. Such an answer is harmless, but
 * it decides if the handshake fails, and which era is remembered.
 */
export class EraDetection {
  readonly #options: EraOptions;
  #late: DiscoverResult | undefined;
  #endedAtProbe = false;
  #learned: EraKind | undefined;
  /** True if the current result must not be remembered. */
  #isPassing = false;
  #clock: StartClock | undefined;

  constructor(options: EraOptions) {
    this.#options = options;
  }

  /**
   * True if the connection ended during the probe, which some older servers do not survive.
   */
  get endedAtProbe(): boolean {
    return this.#endedAtProbe && this.#options.era !== 'stateless';
  }

  /**
   * True if the probe is the first message, and a server that exits because of it is started again.
   */
  get asksFirst(): boolean {
    const { era = 'auto', rememberedEra } = this.#options;
    return era === 'auto' && (rememberedEra === undefined || rememberedEra === 'stateless');
  }

  /**
   * @param clock The clock of the whole start.
   * @throws {McpError} unsupportedRevision | what `Rpc.request` throws
   */
  async open(
    context: EraContext,
    times: ProbeTimes,
    clock = new StartClock(times.startTimeoutMs),
  ): Promise<Era> {
    this.#clock = clock;
    const era = await this.#open(context, times, () => clock.leftMs);
    if (this.#late !== undefined) this.#learn('stateless');
    else if (!this.#isPassing) this.#learn(era.kind);
    return era;
  }

  async #open(context: EraContext, times: ProbeTimes, leftMs: () => number): Promise<Era> {
    const { era: pin = 'auto', rememberedEra } = this.#options;
    if (isStatefulRevision(pin)) return openStateful(context, pin, leftMs());
    if (pin === 'stateful') return openStateful(context, undefined, leftMs());
    const wasStateful = rememberedEra === 'stateful' || rememberedEra === 'sse';
    if (pin === 'auto' && wasStateful) {
      try {
        return await openStateful(context, undefined, leftMs());
      } catch (error) {
        if (!isWorthAsking(error)) throw error;
        context.log.info(`not the server that it was (${toMcpError(error).message})`);
      }
    }
    const verdict = await this.#probe(context, this.#probeMs(times, leftMs()), leftMs);
    if (verdict.kind === 'stateless') return new StatelessEra(context, verdict.discovered);
    if (verdict.kind === 'failed' || pin === 'stateless') throw verdict.error;
    try {
      return await openStateful(context, verdict.offer, leftMs());
    } catch (error) {
      return this.#reconsider(context, withProbe(toMcpError(error), verdict.error), leftMs);
    }
  }

  /**
   * Returns how long the probe may take. A server that was stateless may be slow to start, so its
   * silence means nothing at first; but it may have changed, so half of the time is left for the
   * handshake.
   */
  #probeMs({ probeTimeoutMs }: ProbeTimes, leftMs: number): number {
    const { era: pin, rememberedEra } = this.#options;
    if (pin === 'stateless') return leftMs;
    const leastMs = rememberedEra === 'stateless' ? leftMs / 2 : 0;
    return Math.min(Math.max(probeTimeoutMs, leastMs), leftMs);
  }

  /** After a refused handshake, accepts a server that now proves to be stateless. */
  async #reconsider(context: EraContext, error: McpError, leftMs: () => number): Promise<Era> {
    const isStateless = isStatelessError(error) || namesStateless(error);
    if (this.#late === undefined && !isStateless) throw error;
    context.rpc.handleRequests('hold');
    if (this.#late !== undefined) return new StatelessEra(context, this.#late);
    const verdict = await this.#probe(context, leftMs(), leftMs);
    if (verdict.kind !== 'stateless') throw error;
    return new StatelessEra(context, verdict.discovered);
  }

  /**
   * Sends the probe, and repeats it if the server requires another version or header (R-032,
   *
   */
  async #probe(
    context: EraContext,
    probeMs: number,
    leftMs: () => number,
  ): Promise<Exclude<ProbeVerdict, { kind: 'again' }>> {
    let verdict = classifyProbe(await this.#discover(context, probeMs, leftMs));
    if (verdict.kind === 'again') {
      verdict = classifyProbe(await this.#discover(context, probeMs, leftMs));
    }
    const { error } = verdict;
    if (verdict.kind === 'stateless' || verdict.kind === 'stateful') {
      this.#options.onDidProbe?.(verdict.kind, error);
    }
    this.#isPassing = verdict.kind === 'stateful' && verdict.isPassing === true;
    this.#endedAtProbe = isMcpError(error, 'connectionClosed') || isMcpError(error, 'writeFailed');
    // The same refusal twice counts as a failure.
    return verdict.kind === 'again' ? { kind: 'failed', error: verdict.error } : verdict;
  }

  async #discover(
    context: EraContext,
    probeMs: number,
    leftMs: () => number,
  ): Promise<ProbeAnswer> {
    let isLate = false;
    const keep = (result: unknown): unknown => {
      if (isLate) this.#takeLate(result);
      return result;
    };
    const asked: Promise<ProbeAnswer> = context.rpc
      .request('server/discover', { _meta: requestMeta(context).usual }, keep, {
        timeoutMs: leftMs(),
        // Without a handshake, an older server must not get a notification.
        isUncancellable: true,
      })
      .then(
        (result) => ({ result }),
        (error: unknown) => ({ error: toMcpError(error) }),
      );
    let forget: (() => void) | undefined;
    const silence = new Promise<ProbeAnswer>((resolve) => {
      forget = this.#clock?.after(probeMs, () => resolve({ silentMs: probeMs }));
    });
    try {
      const answer = await Promise.race([asked, silence]);
      isLate = 'silentMs' in answer;
      return answer;
    } finally {
      forget?.();
    }
  }

  #takeLate(result: unknown): void {
    const discovered = parseDiscoverResult(result);
    if (discovered?.supportedVersions.includes(statelessRevision) !== true) return;
    this.#late = discovered;
    if (this.#learned !== undefined) this.#learn('stateless');
  }

  #learn(era: EraKind): void {
    if (era === this.#learned) return;
    this.#learned = era;
    this.#options.onDidLearnEra?.(era);
  }
}

/** Adds the answer to the probe to an error of the handshake. */
function withProbe(error: McpError, { code, facts }: McpError): McpError {
  if (error.code === 'cancelled') return error;
  const { httpStatus, detail } = facts;
  return new McpError(error.code, {
    ...error.facts,
    ...(httpStatus === undefined ? {} : { probeStatus: httpStatus }),
    probeDetail: detail ?? code,
  });
}

function openStateful(
  context: EraContext,
  offer: StatefulRevision | undefined,
  timeoutMs: number,
): Promise<Era> {
  return StatefulEra.open(context, offer ?? statefulRevisions[0], timeoutMs);
}

function namesStateless(error: unknown): boolean {
  const cause: unknown = isMcpError(error) ? error.facts.cause : undefined;
  return [error, cause].some((it) => versionsInError(it)?.includes(statelessRevision) === true);
}

/** True if the server responds but refused the handshake. */
function isWorthAsking(error: unknown): boolean {
  const codes = ['serverError', 'invalidResult', 'unsupportedRevision', 'httpError'] as const;
  return codes.some((code) => isMcpError(error, code));
}

/** How `server/discover` ended. */
export type ProbeAnswer =
  | { readonly result: unknown }
  | { readonly error: McpError }
  | { readonly silentMs: number };

/** The meaning of the answer. `error` is for a connection that cannot continue. */
type ProbeVerdict =
  | { readonly kind: 'stateless'; readonly discovered: DiscoverResult; readonly error?: undefined }
  /** A stateless server that wants the probe repeated. */
  | { readonly kind: 'again'; readonly error: McpError }
  /** `offer` is the newest revision that the server named, if any. */
  | {
      readonly kind: 'stateful';
      readonly offer?: StatefulRevision;
      readonly error: McpError;
      /** True if the problem may be temporary: the handshake is tried, and no era is remembered. */
      readonly isPassing?: true;
    }
  | { readonly kind: 'failed'; readonly error: McpError };

/** Statuses about the user or a temporary state, which say nothing about the era. */
const tellsNothing: readonly number[] = [401, 403, 407, 408, 413, 429, 431];

/** True if servers answer messages of another era with this status. */
export function indicatesEra(httpStatus: number): boolean {
  return httpStatus < 500 && !tellsNothing.includes(httpStatus);
}

/**
 * True if the server failed on the probe, as some of the stateful era do, or has a general problem.
 * The handshake is tried, but no era is remembered.
 */
function isPassing({ code, facts: { httpStatus = 0 } }: McpError): boolean {
  return httpStatus >= 500 || code === 'connectionLost';
}

/**
 * Judges the probe for both transports. Only what the specification of the stateless era defines
 * indicates that era; servers of the stateful era answer any other error to an unknown method
 * (R-012 to R-015, R-021 to R-029, R-034, R-035).
 */
export function classifyProbe(answer: ProbeAnswer): ProbeVerdict {
  if ('silentMs' in answer) {
    return { kind: 'stateful', error: new McpError('timeout', { limit: answer.silentMs }) };
  }
  if ('error' in answer) return judgeError(answer.error);
  const discovered = parseDiscoverResult(answer.result);
  if (discovered === undefined) {
    const detail = 'no real answer to server/discover';
    return { kind: 'stateful', error: new McpError('invalidResult', { detail }) };
  }
  const { supportedVersions } = discovered;
  if (supportedVersions.includes(statelessRevision)) return { kind: 'stateless', discovered };
  return judgeVersions(supportedVersions, undefined);
}

/** None of the versions is stateless. */
function judgeVersions(versions: readonly string[], cause: unknown): ProbeVerdict {
  const error = noCommonRevisionError(versions, cause);
  const offer = newestStateful(versions);
  return offer === undefined ? { kind: 'failed', error } : { kind: 'stateful', offer, error };
}

function judgeError(error: McpError): ProbeVerdict {
  if (isStatelessError(error)) return judgeStatelessError(error);
  const { httpStatus } = error.facts;
  if (isPassing(error)) return { kind: 'stateful', error, isPassing: true };
  if (httpStatus !== undefined && !indicatesEra(httpStatus)) return { kind: 'failed', error };
  const isAnswer = ['serverError', 'invalidResult', 'httpError', 'unexpectedContentType'].some(
    (code) => error.code === code,
  );
  // There was no answer within the time limit of the start.
  const isSilence = isMcpError(error, 'timeout');
  return { kind: isAnswer || isSilence ? 'stateful' : 'failed', error };
}

function judgeStatelessError(error: McpError): ProbeVerdict {
  const versions = versionsInError(error);
  const named = versions === undefined || versions.includes(statelessRevision);
  if (isRevisionRefused(error) && !named) return judgeVersions(versions, error);
  const explained = explainStatelessError(error);
  const mayHelp = isRevisionRefused(error) || isHeaderMismatch(error);
  return { kind: mayHelp ? 'again' : 'failed', error: explained };
}
