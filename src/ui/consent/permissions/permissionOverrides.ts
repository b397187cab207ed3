import * as l10n from '@vscode/l10n';
import type { OverrideState, RiskOverrides } from '../../../host/consent/grants/overrides';
import { formatGrantDuration, formatOrigin, formatSuspended } from '../../format/formatPermission';
import { formatLevel } from '../../format/formatRisk';
import { quoted } from '../../format/sentences';
import { settleAll } from '../../../host/storage/settleAll';
import type { PermissionItem, PermissionSource } from './permissions';
import { formatDate } from '../../format/formatTime';

/** The user's risk overrides, as permissions that can be withdrawn. */
export class OverridePermissions implements PermissionSource {
  readonly #overrides: Pick<RiskOverrides, 'all' | 'withdraw' | 'withdrawAll'>;

  constructor(overrides: Pick<RiskOverrides, 'all' | 'withdraw' | 'withdrawAll'>) {
    this.#overrides = overrides;
  }

  get heading(): string {
    return l10n.t('Risks that you set');
  }

  async all(): Promise<readonly PermissionItem[]> {
    return (await this.#overrides.all()).map(toItem);
  }

  withdraw(ids: readonly string[]): Promise<void> {
    return settleAll(ids.map((id) => this.#overrides.withdraw(id)));
  }

  withdrawAll(): Promise<void> {
    return this.#overrides.withdrawAll();
  }
}

function toItem({ id, scope, record, suspended }: OverrideState): PermissionItem {
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
