import { withSecretsAs } from '../../core/arguments/argumentsText';
import { McpError } from '../../core/errors';
import type { CallOutcome, CallRequest } from '../calls/call';
import type { CallJournal, DecidedCall } from '../calls/callJournal';
import type { ServerConfig } from '../configuration/serverConfig';
import {
  fingerprint,
  serverFingerprint,
  type Fingerprint,
  toolFingerprint,
} from '../consent/facts/fingerprints';
import { ToolFingerprints } from '../consent/pins/pinDefinition';
import type { ToolResult, Tool } from '../../core/types';
import { isJsonObject } from '../../core/json/shapes';
import { stringifyExactly } from '../../core/json/writtenNumber';
import { holdsSecret } from '../secrets/secretValues';
import { redactJson, secretMarker } from '../secrets/redactSecrets';
import { decisionFacts } from './decisionFacts';
import { type DecisionEntry, type OutcomeEntry, type AuthorizationEntry, maxListed } from './entry';
import type { Journal } from './journal';
import { JournalError } from './journalError';
import { resultDigest } from './resultDigest';
import { configHash } from '../configuration/configurationHash';
import type { ToolField } from '../consent/facts/callFacts';
import type { Grant } from '../consent/grants/grant';
import type { OverrideRecord } from '../consent/grants/overrides';
import type { TrustChange } from '../consent/trust/serverTrust';
import type { TokenGrant } from '../../core/auth/ports';

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
    try {
      const entry = decisionEntry(call, this.#fingerprints, recordsArguments(), redact);
      // Without a decision, the end of the call is recorded as that of a refused one.
      this.#decided.add(call.callId);
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

/** Records what the user permits, withdraws and accepts in the journal. Never throws. */
export class ConsentRecorder {
  readonly #journal: Pick<Journal, 'append'>;

  constructor(journal: Pick<Journal, 'append'>) {
    this.#journal = journal;
  }

  grant(action: 'granted' | 'withdrawn', grant: Grant): void {
    const { id, scope, duration, server } = grant;
    const tools = Object.keys(grant.tools).slice(0, maxListed);
    this.#journal.append({
      kind: 'permission',
      action,
      server,
      tools,
      grant: { id, scope, duration },
    });
  }

  override(action: 'overrideSet' | 'overrideWithdrawn', record: OverrideRecord): void {
    const { server, tool, override } = record;
    const { level } = override;
    this.#journal.append({ kind: 'permission', action, server, tools: [tool], level });
  }

  trust(act: TrustChange): void {
    if (act.kind === 'withdrawn') {
      const { server: id, configHash: hash } = act.record;
      const server = { id, label: id, fingerprint: hash };
      this.#journal.append({ kind: 'trust', server, answer: 'withdrawn' });
      return;
    }
    const { id, label } = act.config;
    const server = { id, label, fingerprint: configHash(act.config) };
    this.#journal.append({ kind: 'trust', server, answer: act.kind });
  }

  /** `scopes` come from the server and are untrusted. */
  signIn(
    action: AuthorizationEntry['action'],
    { id }: Pick<ServerConfig, 'id'>,
    issuer: string,
    scopes: readonly string[],
  ): void {
    const given = scopes.slice(0, maxListed);
    this.#journal.append({ kind: 'authorization', action, server: id, issuer, scopes: given });
  }

  /**
   * Records an accepted definition; `fields` are the changed ones, empty for a new one. A skill is
   * given as `SkillPins` gives it to the pins.
   */
  pin(of: 'tool' | 'skill', { id }: ServerConfig, tool: Tool, fields: readonly ToolField[]): void {
    const facts = { name: tool.name, fingerprint: toolFingerprint(tool) };
    const isSkill = of === 'skill' ? { isSkill: true as const } : {};
    this.#journal.append({ kind: 'pin', server: id, ...isSkill, tool: facts, fields });
  }
}

/** Records that an account was signed in, or got more scopes. A renewed token is neither. */
export function recordGrant(
  acts: Pick<ConsentRecorder, 'signIn'>,
  server: Pick<ServerConfig, 'id'>,
  grant: TokenGrant,
  former: TokenGrant | undefined,
): void {
  const { issuer, askedScopes, grantedScopes = askedScopes } = grant;
  if (former === undefined) {
    acts.signIn('signedIn', server, issuer, grantedScopes);
    return;
  }
  const before = former.grantedScopes ?? former.askedScopes;
  const added = grantedScopes.filter((scope) => !before.includes(scope));
  if (added.length > 0) acts.signIn('extended', server, issuer, added);
}
