import { requesterOf, type CallOrigin, type CallFacts } from '../facts/callFacts';
import { type ServerConfig, serverKey } from '../../configuration/serverConfig';
import type { ToolEntry } from '../../connections/snapshot';
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
  type GrantChoice,
  type SuspendedGrant,
  type SuspensionReason,
} from './grant';
import { isDistinctFingerprint, type ToolFingerprints } from '../pins/pinDefinition';

export interface GrantTerms {
  /** True if a destructive tool may be granted for more than the same arguments. */
  readonly allowBroadDestructive: boolean;
}

export interface OfferTerms extends GrantTerms {
  readonly hasWorkspace: boolean;
  /** True if a rule requires the question, whatever is remembered. */
  readonly isAskedByRule: boolean;
}

/** The circumstances in which a grant is given. */
export interface GrantContext {
  readonly origin: CallOrigin;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** The current tools of the server. */
  readonly tools: readonly ToolEntry[];
}

/** The grants that concern a call. */
export interface Coverage {
  /** The narrowest grant that covers it. */
  readonly grant?: Grant;
  readonly suspended: readonly SuspendedGrant[];
}

/** Returns what the answer about this call may be remembered for, smallest first. */
export function offeredGrants(facts: CallFacts, terms: OfferTerms): readonly GrantChoice[] {
  if (terms.isAskedByRule || !isTellable(facts)) return [];
  const scopes = grantScopes.filter((scope) => isFitting(scope, facts.entry, terms));
  const durations = grantDurations.filter(
    (duration) => duration !== 'workspace' || terms.hasWorkspace,
  );
  return scopes.flatMap((scope) => durations.map((duration) => ({ scope, duration })));
}

/**
 * Makes the grant for this call and choice. An earlier grant for the same has the same id, even if it
 * is suspended.
 */
export function toGrant(
  { config, entry, arguments: args }: CallFacts,
  { scope, duration }: GrantChoice,
  { origin, createdAt, tools }: GrantContext,
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
    // Leaves out definitions without a distinct fingerprint, because nothing may be bound to them.
    // Defines own properties, so a tool named `__proto__` is a tool like any other.
    tools: Object.fromEntries(
      [...others, entry]
        .map(({ tool }) => [tool.name, fingerprints.of(tool)] as const)
        .filter(([, each]) => isDistinctFingerprint(each)),
    ),
    ...ofArguments,
    origin,
    createdAt,
  };
}

/** Number of hash characters, enough to avoid collisions. */
const idChars = 40;

/** Returns which of these grants cover the call. */
export function findCoverage(
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
    const reason = findSuspension(grant, facts.config, facts.entry, terms, fingerprints);
    if (reason === undefined) covering.push(grant);
    else suspended.push({ grant, reason });
  }
  const [narrowest] = covering.toSorted(byBreadth);
  return { suspended, ...(narrowest === undefined ? {} : { grant: narrowest }) };
}

/** Returns why a grant that names this tool is suspended; `undefined` if it covers the tool. */
export function findSuspension(
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
  // A grant for the user's own calls does not cover other callers, and vice versa.
  if (requesterOf(grant.origin) !== requesterOf(origin)) return false;
  if (grant.server !== config.id || !Object.hasOwn(grant.tools, entry.tool.name)) return false;
  return grant.scope !== 'arguments' || grant.argumentsFingerprint === args();
}

/** Ids of grants depend on these names. */
function askerKey(origin: CallOrigin): boolean | string {
  const asker = requesterOf(origin);
  return asker === 'agent' ? asker : asker === 'extension';
}

/** Returns true if an answer about this tool may have this scope. */
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

/**
 * Returns true if the definition has a distinct fingerprint, to which a permission can be bound.
 */
function isTellable({ entry }: CallFacts): boolean {
  return entry.tool.callable && isDistinctFingerprint(toolFingerprint(entry.tool));
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
