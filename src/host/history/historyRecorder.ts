import { Buffer } from 'node:buffer';
import { dropOldest } from '../../core/bounds/dropOldest';
import { ShortLivedMap } from '../../core/bounds/shortLivedMap';
import type { Tool } from '../../core/types';
import { isContainer } from '../../core/json/leaves';
import type { JsonObject } from '../../core/json/jsonValue';
import { isJsonObject } from '../../core/json/shapes';
import { stringifyExactly } from '../../core/json/writtenNumber';
import type { CallOutcome, CallRequest } from '../calls/call';
import type { CallJournal, DecidedCall } from '../calls/callJournal';
import type { RunningCall } from '../calls/runningCall';
import type { RunningCalls } from '../calls/runningCalls';
import { decisionFacts } from '../journal/decisionFacts';
import type { SecretValues } from '../secrets/secretValues';
import type { History } from './history';
import { keptArguments, type KeptArguments } from './keptArguments';
import type { PastAnswer, PastCall } from './pastCall';
import { toPastError } from './pastError';
import { repeatsSecret } from './repeatedSecrets';

export interface HistoryRecorderOptions {
  readonly history: Pick<History, 'keep'>;
  readonly calls: Pick<RunningCalls, 'find'>;
  /** What a tool is called on screen. */
  readonly titleOf: (tool: Tool) => string;
  /** Secrets that are known otherwise. */
  readonly known: Pick<SecretValues, 'redact' | 'isEmpty'>;
  /** Where the documents of a call are, as soon as there are any. */
  readonly pathOf: (callId: string) => string | undefined;
}

/** A call that was decided on and has not ended. */
interface Asked extends Pick<DecidedCall, 'question' | 'secrets'> {
  /** Once somebody wanted to see it. */
  kept?: KeptArguments;
}

/** Bytes of JSON; laid out over lines it still fits into a record. */
const maxArgumentsBytes = 128 * 1024;
/** What a record takes besides its arguments, roughly. */
const recordBytes = 4_096;
const maxViolations = 100;
/** Of which it is known what they were given that is secret. */
const maxKnownCalls = 1_000;

/**
 * Writes every call of the gate into the history when it has ended, but for those of agents that
 * were not sent: these stand in the journal alone.
 */
export class HistoryRecorder implements CallJournal {
  readonly #options: HistoryRecorderOptions;
  /** Of calls that were decided on and have not ended: exactly what is or would be sent. */
  readonly #arguments = new ShortLivedMap<string, Asked>();
  /** Of calls that have ended, the newest last. */
  readonly #secrets = new ShortLivedMap<string, readonly string[]>();

  constructor(options: HistoryRecorderOptions) {
    this.#options = options;
  }

  decided({ callId, question, secrets }: DecidedCall): Promise<void> {
    this.#arguments.set(callId, { question, secrets });
    return Promise.resolve();
  }

  /** What a call that was decided on and has not ended is made with, secrets replaced. */
  givenTo(callId: string): JsonObject | undefined {
    return this.keptOf(callId)?.value;
  }

  /** The same, with the secrets. */
  keptOf(callId: string): KeptArguments | undefined {
    const asked = this.#arguments.get(callId);
    if (asked?.question.arguments === undefined) return undefined;
    asked.kept ??= this.#keptOf(asked);
    return asked.kept;
  }

  ended(callId: string, request: CallRequest, outcome: CallOutcome): Promise<void> {
    this.#keep(callId, request, outcome);
    return Promise.resolve();
  }

  #keep(callId: string, request: CallRequest, outcome: CallOutcome): void {
    const { history, calls, pathOf, known } = this.#options;
    const asked = this.#arguments.get(callId);
    this.#arguments.delete(callId);
    const kept = asked && (asked.kept ?? this.#keptOf(asked));
    this.#rememberSecrets(callId, kept?.secrets ?? request.secrets ?? []);
    const call = calls.find(callId);
    if (call === undefined) return;
    // Agents may be refused as often as they like, which must not push out what the person did.
    if (call.origin === 'agent' && call.sentAt === undefined) return;
    const given =
      outcome.isResumed === true
        ? keptFacts(request)
        : givenFacts(request, asked?.question.arguments, kept);
    const whose = request.isOfOthers === undefined ? {} : { isOfOthers: request.isOfOthers };
    const past = this.#pastCall(call, outcome, { ...given, ...whose });
    if (outcome.kind !== 'result' && outcome.kind !== 'toolError') {
      history.keep(past);
      return;
    }
    const { result } = outcome;
    const answer: PastAnswer = {
      isExternal: outcome.entry.risk.openWorld,
      violations: outcome.violations.slice(0, maxViolations),
      missingStructuredContent: outcome.missingStructuredContent,
      ...(outcome.schemaError === undefined ? {} : { schemaError: outcome.schemaError }),
    };
    history.keep(
      { ...past, answer },
      {
        result,
        pathOf: () => pathOf(callId),
        repeatsSecret: () => repeatsSecret(result, kept?.secrets ?? request.secrets ?? [], known),
      },
    );
  }

  /** The secrets of one of the last 1,000 calls; `undefined` of others. In memory only. */
  secretsOf(callId: string): readonly string[] | undefined {
    return this.#secrets.get(callId);
  }

  #rememberSecrets(callId: string, secrets: readonly string[]): void {
    this.#secrets.set(callId, secrets);
    dropOldest(this.#secrets, maxKnownCalls);
  }

  #keptOf({ question, secrets }: Asked): KeptArguments {
    const { known } = this.#options;
    const { inputSchema } = question.entry.tool;
    return keptArguments(question.arguments ?? {}, inputSchema, secrets, (text) =>
      known.redact(text),
    );
  }

  #pastCall(call: RunningCall, outcome: CallOutcome, given: GivenFacts): PastCall {
    const { known, titleOf } = this.#options;
    const { id, server, tool, config, entry, origin, startedAt, sentAt, decision } = call;
    return {
      callId: id,
      server,
      tool,
      serverLabel: config?.label ?? server,
      toolTitle: entry === undefined ? tool : titleOf(entry.tool),
      origin,
      startedAt,
      ...(sentAt === undefined ? {} : { sentAt }),
      endedAt: Date.now(),
      durationMs: outcome.durationMs,
      outcome: outcome.kind,
      ...(outcome.kind === 'failed'
        ? {
            error: toPastError(outcome.error, given.hasSecrets === true, (text) =>
              known.redact(text),
            ),
          }
        : {}),
      ...(decision === undefined ? {} : { decision: decisionFacts(decision) }),
      ...given,
    };
  }
}

type GivenFacts = Pick<
  PastCall,
  'arguments' | 'argumentsOmitted' | 'hasSecrets' | 'isOfOthers' | 'bytes'
>;

/** Of a task that is taken up again; the secrets in its arguments were replaced before. */
function keptFacts({ arguments: given, secrets }: CallRequest): GivenFacts {
  const hasSecrets = secrets === undefined ? {} : { hasSecrets: true as const };
  if (!isJsonObject(given)) return { argumentsOmitted: 'unknown', bytes: recordBytes };
  const bytes = recordBytes + Buffer.byteLength(JSON.stringify(given));
  return { arguments: given, bytes, ...hasSecrets };
}

function givenFacts(
  request: CallRequest,
  given: JsonObject | undefined,
  kept: KeptArguments | undefined,
): GivenFacts {
  const bytes = recordBytes;
  // Nobody knows its schema, and so what of it is secret.
  if (kept === undefined) {
    return isEmpty(request.arguments) ? { bytes } : { argumentsOmitted: 'unknown', bytes };
  }
  const facts = { bytes, ...(kept.hasSecrets ? { hasSecrets: true as const } : {}) };
  if (given === undefined) return facts;
  if (kept.value === undefined) return { ...facts, argumentsOmitted: 'unknown' };
  const argumentBytes = Buffer.byteLength(stringifyExactly(kept.value));
  return argumentBytes > maxArgumentsBytes
    ? { ...facts, argumentsOmitted: 'tooLarge' }
    : { ...facts, arguments: kept.value, bytes: bytes + argumentBytes };
}

function isEmpty(given: CallRequest['arguments']): boolean {
  if (given === undefined) return true;
  return isContainer(given) && Object.keys(given).length === 0;
}
