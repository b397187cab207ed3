import { askerOf, type CallOrigin } from '../facts/callOrigin';
import { type ServerConfig, serverKey } from '../../configuration/serverConfig';
import type { ToolEntry } from '../../connections/snapshot';
import type { CallFacts } from '../facts/callFacts';
import {
  fingerprint,
  serverFingerprint,
  toolFingerprint,
  type Fingerprint,
} from '../facts/fingerprints';
import {
  grantDurations,
  grantScopes,
  type Grant,
  type GrantScope,
  type GrantWish,
  type SuspendedGrant,
  type SuspensionReason,
} from './grant';
import { tellsApart, type ToolFingerprints } from '../pins/pinDefinition';

export interface GrantTerms {
  /** Whether a destructive tool may be granted for more than the same arguments. */
  readonly allowBroadDestructive: boolean;
}

export interface OfferTerms extends GrantTerms {
  readonly hasWorkspace: boolean;
  /** A rule wants the question, whatever is remembered. */
  readonly isAskedByRule: boolean;
}

/** What a grant is given with besides the call. */
export interface GrantOccasion {
  readonly origin: CallOrigin;
  /** Epoch ms. */
  readonly createdAt: number;
  /** The tools of the server as they are now. */
  readonly tools: readonly ToolEntry[];
}

/** What is told about a call by those grants that speak of it. */
export interface Coverage {
  /** The narrowest that covers it. */
  readonly grant?: Grant;
  readonly suspended: readonly SuspendedGrant[];
}

/** What the answer to a question about this call may be remembered for, smallest first. */
export function offeredWishes(facts: CallFacts, terms: OfferTerms): readonly GrantWish[] {
  if (terms.isAskedByRule || !isTellable(facts)) return [];
  const scopes = grantScopes.filter((scope) => isFitting(scope, facts.entry, terms));
  const durations = grantDurations.filter(
    (duration) => duration !== 'workspace' || terms.hasWorkspace,
  );
  return scopes.flatMap((scope) => durations.map((duration) => ({ scope, duration })));
}

/**
 * The grant that this wish makes, for this call or what it stands for. One that was given for the
 * same before has the same id, also when it is suspended by now.
 */
export function toGrant(
  { config, entry, arguments: args }: CallFacts,
  { scope, duration }: GrantWish,
  { origin, createdAt, tools }: GrantOccasion,
  fingerprints: ToolFingerprints,
): Grant {
  const others = scope === 'readOnlyTools' ? tools.filter(isReadOnly) : [];
  const called = scope === 'readOnlyTools' ? '' : entry.tool.name;
  const ofArguments = scope === 'arguments' ? { argumentsFingerprint: fingerprint(args) } : {};
  const subject = [serverKey(config), scope, called, ofArguments, askerKey(origin)];
  return {
    id: `${duration}-${fingerprint(subject).slice(0, idChars)}`,
    scope,
    duration,
    server: config.id,
    serverFingerprint: serverFingerprint(config),
    // What cannot be told from other definitions is left out: nothing may be bound to it.
    // Defines own properties, so a tool named `__proto__` is a tool like any other.
    tools: Object.fromEntries(
      [...others, entry]
        .map(({ tool }) => [tool.name, fingerprints.of(tool)] as const)
        .filter(([, each]) => tellsApart(each)),
    ),
    ...ofArguments,
    origin,
    createdAt,
  };
}

/** Of a hash: so many that two never become one. */
const idChars = 40;

/** What these grants say about a call. */
export function coverageOf(
  grants: readonly Grant[],
  facts: CallFacts,
  terms: GrantTerms,
  fingerprints: ToolFingerprints,
): Coverage {
  const covering: Grant[] = [];
  const suspended: SuspendedGrant[] = [];
  const ofArguments = lazily(() => fingerprint(facts.arguments));
  for (const grant of grants) {
    if (!speaksOf(grant, facts, ofArguments)) continue;
    const reason = suspensionOf(grant, facts.config, facts.entry, terms, fingerprints);
    if (reason === undefined) covering.push(grant);
    else suspended.push({ grant, reason });
  }
  const [narrowest] = covering.toSorted(byBreadth);
  return { suspended, ...(narrowest === undefined ? {} : { grant: narrowest }) };
}

/** Why a grant that names this tool does not cover it as it is now; `undefined`: it does. */
export function suspensionOf(
  grant: Grant,
  config: ServerConfig,
  entry: ToolEntry,
  terms: GrantTerms,
  fingerprints: ToolFingerprints,
): SuspensionReason | undefined {
  if (grant.serverFingerprint !== serverFingerprint(config)) return 'serverChanged';
  if (grant.tools[entry.tool.name] !== fingerprints.of(entry.tool)) return 'toolChanged';
  return isFitting(grant.scope, entry, terms) ? undefined : 'riskRaised';
}

function speaksOf(grant: Grant, facts: CallFacts, args: () => Fingerprint): boolean {
  const { config, entry, origin } = facts;
  // What a person permits for calls of their own, others may not use, nor the reverse.
  if (askerOf(grant.origin) !== askerOf(origin)) return false;
  if (grant.server !== config.id || !Object.hasOwn(grant.tools, entry.tool.name)) return false;
  return grant.scope !== 'arguments' || grant.argumentsFingerprint === args();
}

/** Ids of permissions hold on to these words. */
function askerKey(origin: CallOrigin): boolean | string {
  const asker = askerOf(origin);
  return asker === 'agent' ? asker : asker === 'extension';
}

/** Whether an answer about this tool may count for so much. */
function isFitting(
  scope: GrantScope,
  { risk }: ToolEntry,
  { allowBroadDestructive }: GrantTerms,
): boolean {
  if (scope === 'arguments') return true;
  if (scope === 'readOnlyTools') return risk.level === 'readOnly';
  return risk.level !== 'destructive' || allowBroadDestructive;
}

function isReadOnly({ tool, risk }: ToolEntry): boolean {
  return tool.callable && risk.level === 'readOnly';
}

/** Whether the definition can be told from others, so that a permission can be bound to it. */
function isTellable({ entry }: CallFacts): boolean {
  return entry.tool.callable && tellsApart(toolFingerprint(entry.tool));
}

function byBreadth(one: Grant, other: Grant): number {
  return (
    grantScopes.indexOf(one.scope) - grantScopes.indexOf(other.scope) ||
    grantDurations.indexOf(one.duration) - grantDurations.indexOf(other.duration)
  );
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
