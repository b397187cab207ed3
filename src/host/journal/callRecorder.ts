import { withSecretsAs } from '../../core/arguments/argumentSecrets';
import { McpError } from '../../core/errors';
import type { CallOutcome, CallRequest } from '../calls/call';
import type { CallJournal, DecidedCall } from '../calls/callJournal';
import type { ServerConfig } from '../configuration/serverConfig';
import { fingerprint, serverFingerprint, type Fingerprint } from '../consent/facts/fingerprints';
import { ToolFingerprints } from '../consent/pins/pinDefinition';
import type { ToolResult } from '../../core/types';
import { isJsonObject } from '../../core/json/shapes';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { holdsSecret } from '../secrets/secretForms';
import { redactJson, secretMarker } from '../secrets/redactSecrets';
import { decisionFacts } from './decisionFacts';
import type { DecisionEntry, OutcomeEntry } from './entry';
import type { Journal } from './journal';
import { JournalError } from './journalError';
import { resultDigest } from './resultDigest';

export interface CallRecorderOptions {
  readonly journal: Pick<Journal, 'write' | 'record'>;
  /** Returns true if arguments are recorded, and not only their digest. */
  readonly recordsArguments: () => boolean;
  /** Returns true if a call that cannot be recorded must not be made. */
  readonly isRequired: () => boolean;
  /** Removes known secrets from a text. Defaults to none. */
  readonly redact?: (text: string) => string;
}

/** The part of the outcome of a read that is recorded. */
export type ReadResult = { readonly durationMs: number } & (
  | { readonly kind: Exclude<CallOutcome['kind'], 'failed'> }
  | { readonly kind: 'failed'; readonly error: McpError }
);

/** Characters of JSON, so that a line stays below the limit for reading. */
const maxArgumentsChars = 128 * 1024;

/** Records every call of the gate in the journal: one entry for the decision, one for the end. */
export class CallRecorder implements CallJournal {
  readonly #options: CallRecorderOptions;
  /** Calls that were decided about and have not ended. */
  readonly #decided = new Set<string>();
  readonly #fingerprints = new SubjectFingerprints();

  constructor(options: CallRecorderOptions) {
    this.#options = options;
  }

  async decided(call: DecidedCall): Promise<void> {
    const { journal, isRequired, recordsArguments, redact } = this.#options;
    this.#decided.add(call.callId);
    const entry = decisionEntry(call, this.#fingerprints, recordsArguments(), redact);
    try {
      await (isRequired() ? journal.record(entry) : journal.write(entry));
    } catch (error) {
      const detail = error instanceof JournalError ? error.detail : String(error);
      throw new McpError('journalUnavailable', { detail, cause: error });
    }
  }

  /** Records that a prompt was read, or that it could not be. */
  async read(
    { server, tool: prompt, arguments: given = {}, origin, secrets = [] }: CallRequest,
    outcome: ReadResult,
  ): Promise<void> {
    const { journal, redact = (text) => text } = this.#options;
    const known = redactJson(isJsonObject(given) ? given : {}, (text) =>
      holdsSecret(text, secrets) ? secretMarker : redact(text),
    );
    return journal.write({
      kind: 'read',
      server,
      prompt,
      origin,
      argumentsDigest: fingerprint(known),
      outcome: outcome.kind === 'failed' || outcome.kind === 'cancelled' ? outcome.kind : 'result',
      ...(outcome.kind === 'failed' ? { code: outcome.error.code } : {}),
      durationMs: outcome.durationMs,
    });
  }

  async ended(callId: string, request: CallRequest, outcome: CallOutcome): Promise<void> {
    const { journal } = this.#options;
    if (!this.#decided.delete(callId) && outcome.isResumed !== true) {
      const { server, tool, origin, client } = request;
      const claim = client === undefined ? {} : { client };
      const code = outcome.kind === 'failed' ? outcome.error.code : 'cancelled';
      return journal.write({ kind: 'refused', callId, server, tool, origin, ...claim, code });
    }
    // A denied call never ran, so its decision is all there is.
    if (outcome.kind === 'denied') return;
    const entry: OutcomeEntry = {
      kind: 'outcome',
      callId,
      outcome: outcome.kind,
      durationMs: outcome.durationMs,
      ...(outcome.isResumed === true ? { resumed: true } : {}),
      ...(outcome.kind === 'failed' ? errorFacts(outcome.error) : {}),
    };
    const hasResult = outcome.kind === 'result' || outcome.kind === 'toolError';
    await journal.write(hasResult ? { ...entry, ...(await digestFacts(outcome.result)) } : entry);
  }
}

/**
 * Caches fingerprints by object, because a changed configuration or definition is another object.
 */
class SubjectFingerprints {
  readonly tools = new ToolFingerprints();
  readonly #servers = new WeakMap<ServerConfig, Fingerprint>();

  ofServer(config: ServerConfig): Fingerprint {
    let known = this.#servers.get(config);
    if (known === undefined) this.#servers.set(config, (known = serverFingerprint(config)));
    return known;
  }
}

function decisionEntry(
  { callId, question, decision, answer, secrets }: DecidedCall,
  fingerprints: SubjectFingerprints,
  recordsArguments: boolean,
  redact: (text: string) => string = (text) => text,
): DecisionEntry {
  const { config, entry } = question;
  const { level, openWorld, idempotent, basis } = entry.risk;
  const given = question.arguments ?? {};
  const marked = withSecretsAs(secretMarker, entry.tool.inputSchema, given);
  const known = redactJson(marked.value, (text) =>
    holdsSecret(text, secrets) ? secretMarker : redact(text),
  );
  const hasSecrets = marked.hasSecrets || known !== marked.value;
  const isTooLarge = recordsArguments && stringifyExactly(known).length > maxArgumentsChars;
  const ruleEffect = decision.rules[0]?.effect;
  return {
    kind: 'decision',
    callId,
    server: { id: config.id, label: config.label, fingerprint: fingerprints.ofServer(config) },
    tool: { name: entry.tool.name, fingerprint: fingerprints.tools.of(entry.tool) },
    risk: { level, openWorld, idempotent, basis },
    origin: question.origin,
    ...(question.client === undefined ? {} : { client: question.client }),
    ...decisionFacts(decision),
    ...(ruleEffect === undefined ? {} : { ruleEffect }),
    ...(answer === undefined ? {} : { answer }),
    argumentsDigest: fingerprint(known),
    ...(recordsArguments && !isTooLarge ? { arguments: known } : {}),
    ...(isTooLarge ? { argumentsOmitted: 'tooLarge' } : {}),
    ...(hasSecrets ? { hasSecrets: true } : {}),
  };
}

async function digestFacts(
  result: ToolResult,
): Promise<Pick<OutcomeEntry, 'resultDigest' | 'resultOmitted'>> {
  try {
    const digest = await resultDigest(result);
    if (digest !== undefined) return { resultDigest: digest };
  } catch {
    // Its values cannot be read in slices.
  }
  return { resultOmitted: 'tooLarge' };
}

function errorFacts({ code, facts }: McpError): Pick<OutcomeEntry, 'code' | 'outcomeUnknown'> {
  return { code, ...(facts.outcomeUnknown === true ? { outcomeUnknown: true } : {}) };
}
