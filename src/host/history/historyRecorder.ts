import { Buffer } from 'node:buffer';
import { dropOldest, ShortLivedMap } from '../../core/bounds/shortLivedMap';
import type { Tool } from '../../core/types';
import { isContainer, isJsonObject } from '../../core/json/shapes';
import type { JsonObject } from '../../core/json/jsonValue';
import { stringifyExactly } from '../../core/json/writtenNumber';
import type { CallOutcome, CallRequest } from '../calls/call';
import type { CallJournal, DecidedCall } from '../calls/callJournal';
import type { RunningCall } from '../calls/runningCall';
import type { RunningCalls } from '../calls/runningCalls';
import { decisionFacts } from '../journal/decisionFacts';
import type { SecretValues } from '../secrets/secretValues';
import type { History } from './history';
import { storedArguments, type StoredArguments, repeatsSecret } from './storedArguments';
import { type PastAnswer, type PastCall, toPastError } from './pastCall';

export interface HistoryRecorderOptions {
  readonly history: Pick<History, 'keep'>;
  readonly calls: Pick<RunningCalls, 'find'>;
  /** Returns the display title of a tool. */
  readonly titleOf: (tool: Tool) => string;
  /** Secrets from other sources. */
  readonly known: Pick<SecretValues, 'redact' | 'isEmpty'>;
  /** Returns the path of a call's documents, once there are any. */
  readonly pathOf: (callId: string) => string | undefined;
}

/** A call that was decided about and has not ended. */
export interface AskedCall extends Pick<DecidedCall, 'callId' | 'secrets'> {
  readonly question: Pick<DecidedCall['question'], 'entry' | 'arguments' | 'argumentsJson'>;
}

interface Asked extends Omit<AskedCall, 'callId'> {
  /** Set once it was requested. */
  kept?: StoredArguments;
}

/** Bytes of JSON. Formatted, this still fits into a record. */
const maxArgumentsBytes = 128 * 1024;
/** Approximate size of a record besides its arguments. */
const recordBytes = 4_096;
const maxViolations = 100;
/** Number of calls whose secrets are remembered. */
const maxKnownCalls = 1_000;

/**
 * Records every ended call of the gate in the history, except for those of agents that were not
 * sent, which are only in the journal.
 */
export class HistoryRecorder implements CallJournal {
  readonly #options: HistoryRecorderOptions;
  /**
   * Arguments of calls that were decided about and have not ended: exactly what is or would be
   * sent.
   */
  readonly #arguments = new ShortLivedMap<string, Asked>();
  /** Secrets of ended calls, newest last. */
  readonly #secrets = new ShortLivedMap<string, readonly string[]>();

  constructor(options: HistoryRecorderOptions) {
    this.#options = options;
  }

  decided({ callId, question, secrets }: AskedCall): Promise<void> {
    this.#arguments.set(callId, { question, secrets });
    return Promise.resolve();
  }

  /** Returns the arguments of a call that has not ended, with secrets replaced. */
  argumentsOf(callId: string): JsonObject | undefined {
    return this.storedArgumentsOf(callId)?.value;
  }

  /** Returns the same with its secrets. */
  storedArgumentsOf(callId: string): StoredArguments | undefined {
    const asked = this.#arguments.get(callId);
    if (asked?.question.arguments === undefined) return undefined;
    asked.kept ??= this.#storedArgumentsOf(asked);
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
    const kept = asked && (asked.kept ?? this.#storedArgumentsOf(asked));
    this.#rememberSecrets(callId, kept?.secrets ?? request.secrets ?? []);
    const call = calls.find(callId);
    if (call === undefined) return;
    // Refused calls of agents are unlimited and must not displace calls of the user.
    if (call.origin === 'agent' && call.sentAt === undefined) return;
    const given =
      outcome.isResumed === true ? keptFacts(request) : givenFacts(request, asked?.question, kept);
    const { isForeign, isPrompt } = request;
    const whose = { ...(isForeign && { isForeign }), ...(isPrompt && { isPrompt }) };
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

  /** Returns the secrets of one of the last 1,000 calls; `undefined` for others. In memory only. */
  secretsOf(callId: string): readonly string[] | undefined {
    return this.#secrets.get(callId);
  }

  #rememberSecrets(callId: string, secrets: readonly string[]): void {
    this.#secrets.set(callId, secrets);
    dropOldest(this.#secrets, maxKnownCalls);
  }

  #storedArgumentsOf({ question, secrets }: Asked): StoredArguments {
    const { known } = this.#options;
    const { inputSchema } = question.entry.tool;
    return storedArguments(question.arguments ?? {}, inputSchema, secrets, (text) =>
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
  'arguments' | 'argumentsOmitted' | 'hasSecrets' | 'isForeign' | 'isPrompt' | 'bytes'
>;

/** For a resumed task, whose secrets were replaced before. */
function keptFacts({ arguments: given, secrets }: CallRequest): GivenFacts {
  const hasSecrets = secrets === undefined ? {} : { hasSecrets: true as const };
  if (!isJsonObject(given)) return { argumentsOmitted: 'unknown', bytes: recordBytes };
  const bytes = recordBytes + Buffer.byteLength(JSON.stringify(given));
  return { arguments: given, bytes, ...hasSecrets };
}

function givenFacts(
  request: CallRequest,
  asked: AskedCall['question'] | undefined,
  kept: StoredArguments | undefined,
): GivenFacts {
  const bytes = recordBytes;
  // The schema is unknown, and so are the secret arguments.
  if (kept === undefined) {
    return isEmpty(request.arguments) ? { bytes } : { argumentsOmitted: 'unknown', bytes };
  }
  const facts = { bytes, ...(kept.hasSecrets ? { hasSecrets: true as const } : {}) };
  if (asked?.arguments === undefined) return facts;
  if (kept.value === undefined) return { ...facts, argumentsOmitted: 'unknown' };
  const json = kept.value === asked.arguments ? asked.argumentsJson : stringifyExactly(kept.value);
  const argumentBytes = Buffer.byteLength(json);
  return argumentBytes > maxArgumentsBytes
    ? { ...facts, argumentsOmitted: 'tooLarge' }
    : { ...facts, arguments: kept.value, bytes: bytes + argumentBytes };
}

function isEmpty(given: CallRequest['arguments']): boolean {
  if (given === undefined) return true;
  return isContainer(given) && Object.keys(given).length === 0;
}
