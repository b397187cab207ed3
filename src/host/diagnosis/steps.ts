import type { ClientRegistration } from '../../core/auth/ports';
import type { McpError } from '../../core/errors';
import type { CertificateFacts, TlsErrorKind } from '../../core/http/probeHttp';
import type { FoundProgram } from '../../core/connect';
import type { ProcessNotice } from '../../core/stdio/stdioProcess';
import type { SignedInAccount } from '../authorization/signInTiming';
import type { ConfigProblem } from '../configuration/serverConfig';
import { type Redact, redactedError } from '../secrets/redactSecrets';

/** In the order of connecting. Each server has the steps of its transport. */
const first = ['configuration', 'variables'] as const;
const ofProcesses = ['program', 'process', 'stdout'] as const;
const ofHttp = ['proxy', 'address', 'tls', 'status', 'contentType', 'challenge'] as const;
const ofProtocol = ['era', 'handshake', 'capabilities', 'tools', 'schemas', 'end'] as const;

/** Added only for a server that requires a sign-in. */
const ofSignIn = ['signInPlace', 'signInServer', 'clientId', 'redirect', 'account'] as const;
export type SignInStepName = (typeof ofSignIn)[number];

/** How Toolgate is, or would be, identified at an authorization server. */
export type ClientSource = ClientRegistration['from'] | 'register' | 'entered';

export type StepName =
  | SignInStepName
  | (typeof first)[number]
  | (typeof ofProcesses)[number]
  | (typeof ofHttp)[number]
  | (typeof ofProtocol)[number];

export function stepNames(kind: 'stdio' | 'http' | 'sse'): readonly StepName[] {
  return [...first, ...(kind === 'stdio' ? ofProcesses : ofHttp), ...ofProtocol];
}

/** The findings of a step. Texts in them are untrusted. */
export type StepFact =
  | { readonly kind: 'problems'; readonly problems: readonly ConfigProblem[] }
  | { readonly kind: 'variables'; readonly names: readonly string[]; readonly inputs: number }
  | { readonly kind: 'program'; readonly program: FoundProgram }
  | { readonly kind: 'pid'; readonly pid: number }
  /** A package manager installed the program of the previous process. */
  | { readonly kind: 'installed' }
  /** The previous process exited during protocol detection and was started again without it. */
  | { readonly kind: 'endedAtQuestion' }
  | { readonly kind: 'garbage'; readonly lines: number; readonly first: string }
  | { readonly kind: 'stderr'; readonly lines: number; readonly last: readonly string[] }
  | { readonly kind: 'address'; readonly host: string; readonly ip?: string }
  | { readonly kind: 'proxy'; readonly address?: string; readonly status?: number }
  | { readonly kind: 'tls'; readonly protocol: string; readonly validTo: string }
  | {
      readonly kind: 'tlsTrouble';
      readonly trouble: TlsErrorKind;
      readonly host: string;
      readonly certificate?: CertificateFacts;
    }
  | { readonly kind: 'notEncrypted' }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'signInPlace';
      readonly resource: string;
      readonly issuers: readonly string[];
    }
  | {
      readonly kind: 'signInServer';
      readonly issuer: string;
      /** True if the user types a code instead of being redirected. */
      readonly isByCode: boolean;
      /** True if its responses name the issuer (RFC 9207). */
      readonly namesItself: boolean;
      readonly revokes: boolean;
    }
  | { readonly kind: 'clientId'; readonly way: ClientSource }
  | { readonly kind: 'account'; readonly account: SignedInAccount }
  | {
      readonly kind: 'era';
      readonly era: 'stateful' | 'stateless';
      readonly isSilent: boolean;
      /** Status of the answer to the probe, if it was an error. */
      readonly status?: number;
      /** True if the connection broke during the probe. */
      readonly isBroken?: true;
    }
  | { readonly kind: 'server'; readonly name: string; readonly revision: string }
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'tools'; readonly tools: number; readonly unusable: number }
  | {
      readonly kind: 'schemas';
      /** Number of schemas that were checked. */
      readonly schemas: number;
      readonly total: number;
      readonly broken: readonly string[];
    }
  | { readonly kind: 'notices'; readonly notices: readonly ProcessNotice[] };

export interface Step {
  readonly name: StepName;
  readonly state: 'waiting' | 'running' | 'passed' | 'failed' | 'skipped';
  readonly facts: readonly StepFact[];
  /** Set for a failed step. */
  readonly error?: McpError;
  /** Set for a step that began and ended. */
  readonly durationMs?: number;
}

/**
 * Removes secrets from the texts of a server, before they are cut or formatted: a server may send
 * back the credential that it received.
 */
function redactedFact(fact: StepFact, redact: Redact): StepFact {
  const { kind } = fact;
  if (kind === 'text') return { ...fact, text: redact(fact.text) };
  if (kind === 'server') return { ...fact, name: redact(fact.name) };
  if (kind === 'names') return { ...fact, names: fact.names.map(redact) };
  if (kind === 'schemas') return { ...fact, broken: fact.broken.map(redact) };
  if (kind === 'signInServer') return { ...fact, issuer: redact(fact.issuer) };
  if (kind === 'signInPlace') {
    const { resource, issuers } = fact;
    return { ...fact, resource: redact(resource), issuers: issuers.map(redact) };
  }
  if (kind === 'account') {
    const { label, issuer } = fact.account;
    const account = { ...fact.account, label: redact(label), issuer: redact(issuer) };
    return { ...fact, account };
  }
  // Lines of processes were redacted as they came, and certificates precede any credential.
  return fact;
}

/** The steps of one diagnosis and their states. Announces each change. */
export class Steps {
  readonly #onDidChange: () => void;
  readonly #redact: Redact;
  #steps: readonly Step[];
  readonly #begunAt = new Map<StepName, number>();

  /** @param redact removes secrets from error details and from texts of the server */
  constructor(names: readonly StepName[], onDidChange: () => void, redact: Redact) {
    this.#onDidChange = onDidChange;
    this.#redact = redact;
    this.#steps = names.map((name) => ({ name, state: 'waiting', facts: [] }));
  }

  get all(): readonly Step[] {
    return this.#steps;
  }

  /** Inserts more steps after an existing one. */
  add(names: readonly StepName[], after: StepName): void {
    const place = this.#steps.findIndex(({ name }) => name === after) + 1;
    const more = names.map((name): Step => ({ name, state: 'waiting', facts: [] }));
    this.#steps = [...this.#steps.slice(0, place), ...more, ...this.#steps.slice(place)];
  }

  begin(name: StepName): void {
    if (this.#state(name) !== 'waiting') return;
    this.#begunAt.set(name, performance.now());
    this.#set(name, { state: 'running' });
  }

  pass(name: StepName, ...facts: readonly StepFact[]): void {
    this.#end(name, 'passed', facts);
  }

  fail(name: StepName, error: McpError | undefined, ...facts: readonly StepFact[]): void {
    this.#end(name, 'failed', facts, error);
  }

  skip(name: StepName, ...facts: readonly StepFact[]): void {
    this.#end(name, 'skipped', facts);
  }

  /**
   * Ends the diagnosis: skips steps that were not reached, and fails running ones with `error`,
   * which is shown once.
   */
  finish(error?: McpError): void {
    for (const { name, state } of this.#steps) {
      if (state === 'running' && !this.#hasFailedWith(error)) this.fail(name, error);
      else this.skip(name);
    }
  }

  isOver(name: StepName): boolean {
    return !['waiting', 'running'].includes(this.#state(name) ?? 'skipped');
  }

  #hasFailedWith(error: McpError | undefined): boolean {
    const { code } = error ?? {};
    return this.#steps.some((step) => step.state === 'failed' && step.error?.code === code);
  }

  #state(name: StepName): Step['state'] | undefined {
    return this.#steps.find((step) => step.name === name)?.state;
  }

  /** A step ends only once; the first result counts. */
  #end(name: StepName, state: Step['state'], facts: readonly StepFact[], error?: McpError): void {
    if (this.isOver(name)) return;
    const begunAt = this.#begunAt.get(name);
    const time =
      begunAt === undefined ? {} : { durationMs: Math.round(performance.now() - begunAt) };
    const shown = error === undefined ? {} : { error: redactedError(error, this.#redact) };
    const redacted = facts.map((fact) => redactedFact(fact, this.#redact));
    this.#set(name, { state, facts: redacted, ...time, ...shown });
  }

  #set(name: StepName, change: Partial<Step>): void {
    this.#steps = this.#steps.map((step) => (step.name === name ? { ...step, ...change } : step));
    this.#onDidChange();
  }
}
