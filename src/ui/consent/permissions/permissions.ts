import * as l10n from '@vscode/l10n';
import type { Grant } from '../../../host/consent/grants/grant';
import type { GrantState } from '../../../host/consent/grants/grants';
import type { OverrideState } from '../../../host/consent/grants/overrides';
import type { TrustedServer } from '../../../host/consent/trust/serverTrust';
import type { StartFact, StartPart } from '../../../host/consent/trust/startFacts';
import { settleAll } from '../../../host/storage/recordFile';
import {
  formatCover,
  formatGrantDuration,
  formatGrant,
  formatOrigin,
  formatSuspended,
  formatSuspension,
} from '../../format/formatPermission';
import { formatLevel } from '../../format/formatRisk';
import { formatDate } from '../../format/formatTime';
import { quoted } from '../../format/sentences';
import { startFactLines } from '../../serverTrust/formatTrustQuestion';

/**
 * A permission of the user, as text. The texts are plain and bounded, and contain server text only
 * through `quoted` or `visibleText`.
 */
export interface PermissionItem {
  /** Unique within its source. */
  readonly id: string;
  /** The calls, tools or server that it covers. */
  readonly label: string;
  /** Its duration, and whether it is suspended. */
  readonly description: string;
  /** The time and place where it was given, and the time of its last use. */
  readonly detail: string;
  /** All details, one per line. */
  readonly about: readonly string[];
}

/** A store of permissions of one kind. */
export interface PermissionSource {
  /** Heading of the group, such as “Calls without a question”. */
  readonly heading: string;
  /** The current permissions, as shared by all windows. */
  all(): Promise<readonly PermissionItem[]>;
  /** Unknown ids count as withdrawn. Rejects after trying all. */
  withdraw(ids: readonly string[]): Promise<void>;
  /**
   * Also withdraws unreadable permissions, which {@link all} does not list. Rejects after trying
   * all.
   */
  withdrawAll(): Promise<void>;
}

interface PermissionStore<State> {
  all(): Promise<readonly State[]>;
  withdraw(id: string): Promise<void>;
  withdrawAll(): Promise<void>;
}

function sourceOf<State>(
  heading: string,
  store: PermissionStore<State>,
  itemOf: (state: State) => PermissionItem,
): PermissionSource {
  return {
    heading,
    all: async () => (await store.all()).map(itemOf),
    withdraw: (ids) => settleAll(ids.map((id) => store.withdraw(id))),
    withdrawAll: () => store.withdrawAll(),
  };
}

/** The permissions that were read from one source. */
export interface PermissionGroup {
  readonly source: PermissionSource;
  readonly items: readonly PermissionItem[];
}

/** Reads the permissions of every source. Empty sources are left out. */
export async function readPermissions(
  sources: readonly PermissionSource[],
): Promise<readonly PermissionGroup[]> {
  const groups = await Promise.all(
    sources.map(async (source) => ({ source, items: await source.all() })),
  );
  return groups.filter(({ items }) => items.length > 0);
}

/** Users do not remember more names than this. The rest is counted. */
const maxNames = 50;

/** The remembered answers, as permissions that can be withdrawn. */
export function grantPermissions(grants: PermissionStore<GrantState>): PermissionSource {
  return sourceOf(l10n.t('Calls without asking'), grants, grantItem);
}

function grantItem(state: GrantState): PermissionItem {
  const { grant } = state;
  return {
    id: grant.id,
    label: formatCover(grant),
    description: [formatGrantDuration(grant.duration), ...formatStanding(state)].join(' · '),
    detail: [formatGiven(grant), formatUsed(grant)].join(' · '),
    about: aboutLines(state),
  };
}

function formatStanding({ suspended, suspendedTools }: GrantState): string[] {
  if (suspended !== undefined) return [formatSuspended(suspended)];
  if (suspendedTools === 0) return [];
  return [
    suspendedTools === 1
      ? l10n.t('suspended for 1 changed tool')
      : l10n.t('suspended for {0} changed tools', suspendedTools),
  ];
}

function aboutLines(state: GrantState): string[] {
  const { grant, suspended } = state;
  const names = Object.keys(grant.tools);
  const rest = names.length - maxNames;
  return [
    formatGrant(grant),
    ...(suspended === undefined
      ? formatStanding(state)
      : [l10n.t('Suspended, so you are asked: {0}', formatSuspension(suspended))]),
    '',
    formatGiven(grant),
    formatUsed(grant),
    '',
    ...(grant.scope === 'readOnlyTools'
      ? [
          l10n.t('Tools when the permission was given:'),
          ...names.slice(0, maxNames).map(quoted),
          ...(rest > 0 ? [l10n.t('… and {0} more', rest)] : []),
          '',
        ]
      : []),
    l10n.t('Valid while the server’s configuration and its tools are unchanged.'),
  ];
}

function formatGiven({ createdAt, origin }: Grant): string {
  return l10n.t('given {0} {1}', formatDate(createdAt), formatOrigin(origin));
}

function formatUsed({ lastUsedAt }: Grant): string {
  return lastUsedAt === undefined
    ? l10n.t('never used')
    : l10n.t('last used {0}', formatDate(lastUsedAt));
}

/** The user's risk overrides, as permissions that can be withdrawn. */
export function overridePermissions(overrides: PermissionStore<OverrideState>): PermissionSource {
  return sourceOf(l10n.t('Risks that you set'), overrides, overrideItem);
}

function overrideItem({ id, scope, record, suspended }: OverrideState): PermissionItem {
  const label = l10n.t(
    '{0} on {1}: {2}',
    quoted(record.tool),
    quoted(record.server),
    formatOverride(record.override),
  );
  const given = l10n.t('set {0} {1}', formatDate(record.createdAt), formatOrigin(record.origin));
  const standing = suspended === undefined ? [] : [formatSuspended(suspended)];
  return {
    id,
    label,
    description: [formatGrantDuration(scope), ...standing].join(' · '),
    detail: given,
    about: [
      label,
      ...standing,
      '',
      given,
      '',
      l10n.t('Valid while the server’s configuration and the tool are unchanged.'),
    ],
  };
}

function formatOverride({ level, openWorld }: OverrideState['record']['override']): string {
  const text = formatLevel(level);
  if (openWorld === undefined) return text;
  return openWorld
    ? l10n.t('{0}, may reach outside systems', text)
    : l10n.t('{0}, reaches no outside systems', text);
}

const maxFacts = 30;

/** The servers that the user agreed to start, as permissions that can be withdrawn. */
export function serverPermissions(trust: PermissionStore<TrustedServer>): PermissionSource {
  return sourceOf(l10n.t('Servers that may start'), trust, serverItem);
}

function serverItem({ key, server, path, facts, trustedAt }: TrustedServer): PermissionItem {
  const label = l10n.t('start {0}', quoted(server));
  const given = l10n.t('given {0}', formatDate(trustedAt));
  const of = (...parts: readonly StartPart[]): readonly StartFact[] =>
    facts.filter(({ part }) => parts.includes(part));
  const command = of('command', 'argument', 'address').map(factWord).join(' ');
  const folder = startFactLines(of('folder'));
  return {
    id: key,
    label,
    description: quoted(command),
    detail: [...folder, given, ...(path === undefined ? [] : [path])].map(quoted).join(' · '),
    about: [label, '', ...startFactLines(facts).slice(0, maxFacts).map(quoted), '', given],
  };
}

/** Quotes words with blanks, so that the boundaries between the words of a command are visible. */
function factWord({ value, written, mask }: StartFact): string {
  const shown = value ?? written ?? (mask === undefined ? '' : '•••');
  return /[\s"]/.test(shown) || shown === '' ? JSON.stringify(shown) : shown;
}
