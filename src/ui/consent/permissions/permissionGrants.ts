import * as l10n from '@vscode/l10n';
import type { Grant } from '../../../host/consent/grants/grant';
import type { Grants, GrantState } from '../../../host/consent/grants/grants';
import {
  formatCover,
  formatGrantDuration,
  formatGrant,
  formatOrigin,
  formatSuspended,
  formatSuspension,
} from '../../format/formatPermission';
import { quoted } from '../../format/sentences';
import { settleAll } from '../../../host/storage/settleAll';
import type { PermissionItem, PermissionSource } from './permissions';
import { formatDate } from '../../format/formatTime';

/** Users do not remember more names than this. The rest is counted. */
const maxNames = 50;

/** The remembered answers, as permissions that can be withdrawn. */
export class GrantPermissions implements PermissionSource {
  readonly #grants: Pick<Grants, 'all' | 'withdraw' | 'withdrawAll'>;

  constructor(grants: Pick<Grants, 'all' | 'withdraw' | 'withdrawAll'>) {
    this.#grants = grants;
  }

  get heading(): string {
    return l10n.t('Calls without asking');
  }

  async all(): Promise<readonly PermissionItem[]> {
    return (await this.#grants.all()).map(toItem);
  }

  withdraw(ids: readonly string[]): Promise<void> {
    return settleAll(ids.map((id) => this.#grants.withdraw(id)));
  }

  withdrawAll(): Promise<void> {
    return this.#grants.withdrawAll();
  }
}

function toItem(state: GrantState): PermissionItem {
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
