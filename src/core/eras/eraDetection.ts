import { StatefulEra } from './statefulEra';
import { StatelessEra } from './statelessEra';
import { judgeProbe } from './judgeProbe';
import type { ProbeAnswer, ProbeVerdict } from './judgeProbe';
import type { Era, EraContext } from './era';
import { isMcpError, McpError, toMcpError } from '../errors';
import { parseDiscoverResult } from './parseDiscover';
import type { DiscoverResult } from './parseDiscover';
import { isStatelessError, versionsNamed } from './statelessErrors';
import { StartClock } from './startClock';
import { requestMeta, statelessRevision } from './statelessMeta';
import { isStatefulRevision, statefulRevisions } from '../types';
import type { EraKind, PinnedEra, StatefulRevision } from '../types';

/** What to remember of a server; `sse` is the stateful era over HTTP+SSE. */
export type KnownEra = EraKind | 'sse';

export interface EraOptions {
  /** `auto` finds out what the server speaks; the others do not ask. A revision is offered first. */
  readonly era?: 'auto' | PinnedEra;
  /** What it spoke the last time, with `auto`: tried first, found out anew when it fails. */
  readonly rememberedEra?: KnownEra;
  /** Told what to remember; once more when a late answer says that it was wrong. */
  readonly onDidLearnEra?: (era: KnownEra) => void;
  /** Told what the answer to the question means, and the error that it was; not where it fails. */
  readonly onDidProbe?: (era: EraKind, answer: McpError | undefined) => void;
}

export interface ProbeTimes {
  readonly startTimeoutMs: number;
  readonly probeTimeoutMs: number;
}

/**
 * Finds out which era a server speaks, on the connection that will serve: asks `server/discover`,
 * which has no effect on any server, and shakes hands when the answer says so.
 *
 * Silence until the probe's own limit means the stateful era, and the probe is not taken back: a
 * server that was only slow to start answers late. That answer disturbs nothing, but it
 * decides when the handshake fails, and what is remembered for the next start.
 */
export class EraDetection {
  readonly #options: EraOptions;
  #late: DiscoverResult | undefined;
  #endedAtProbe = false;
  #learned: EraKind | undefined;
  /** What the server speaks now says nothing about the next time. */
  #isPassing = false;
  #clock: StartClock | undefined;

  constructor(options: EraOptions) {
    this.#options = options;
  }

  /** Whether the connection ended over a question that older servers may not survive. */
  get endedAtProbe(): boolean {
    return this.#endedAtProbe && this.#options.era !== 'stateless';
  }

  /** Whether the first message is the question, and a server that ends over it is started again. */
  get asksFirst(): boolean {
    const { era = 'auto', rememberedEra } = this.#options;
    return era === 'auto' && (rememberedEra === undefined || rememberedEra === 'stateless');
  }

  /**
   * `clock` is that of the whole start, where something else may hold it.
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
    // One that is known to answer is not taken for silent; it may be slow to start.
    const isSure = pin === 'stateless' || rememberedEra === 'stateless';
    const probeMs = isSure ? leftMs() : Math.min(times.probeTimeoutMs, leftMs());
    const verdict = await this.#probe(context, probeMs, leftMs);
    if (verdict.kind === 'stateless') return new StatelessEra(context, verdict.discovered);
    if (verdict.kind === 'failed' || pin === 'stateless') throw verdict.error;
    try {
      return await openStateful(context, verdict.offer, leftMs());
    } catch (error) {
      return this.#reconsider(context, withProbe(toMcpError(error), verdict.error), leftMs);
    }
  }

  /** After a refused handshake: a server that shows itself stateless now is taken as such. */
  async #reconsider(context: EraContext, error: McpError, leftMs: () => number): Promise<Era> {
    const isStateless = isStatelessError(error) || namesStateless(error);
    if (this.#late === undefined && !isStateless) throw error;
    context.rpc.handleRequests('hold');
    if (this.#late !== undefined) return new StatelessEra(context, this.#late);
    const verdict = await this.#probe(context, leftMs(), leftMs);
    if (verdict.kind !== 'stateless') throw error;
    return new StatelessEra(context, verdict.discovered);
  }

  /** Asks once, and once more where the server wants it said differently. */
  async #probe(
    context: EraContext,
    probeMs: number,
    leftMs: () => number,
  ): Promise<Exclude<ProbeVerdict, { kind: 'again' }>> {
    let verdict = judgeProbe(await this.#discover(context, probeMs, leftMs));
    if (verdict.kind === 'again') {
      verdict = judgeProbe(await this.#discover(context, probeMs, leftMs));
    }
    const { error } = verdict;
    if (verdict.kind === 'stateless' || verdict.kind === 'stateful') {
      this.#options.onDidProbe?.(verdict.kind, error);
    }
    this.#isPassing = verdict.kind === 'stateful' && verdict.isPassing === true;
    this.#endedAtProbe = isMcpError(error, 'connectionClosed') || isMcpError(error, 'writeFailed');
    // Twice the same refusal is an answer.
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
        // A server that knows nothing of it must not get a notification before the handshake.
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

/** An error of the handshake that names the answer to the question before it, too. */
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
  return [error, cause].some((it) => versionsNamed(it)?.includes(statelessRevision) === true);
}

/** Whether the server is there and just did not like the handshake. */
function isWorthAsking(error: unknown): boolean {
  const codes = ['serverError', 'invalidResult', 'unsupportedRevision', 'httpError'] as const;
  return codes.some((code) => isMcpError(error, code));
}
