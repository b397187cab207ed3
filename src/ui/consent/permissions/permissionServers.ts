import { l10n } from 'vscode';
import type { ServerTrust, TrustedServer } from '../../../host/consent/trust/serverTrust';
import type { StartFact } from '../../../host/consent/trust/startFacts';
import { quoted } from '../../format/sentences';
import { settleAll } from '../../../host/storage/settleAll';
import type { PermissionItem, PermissionSource } from './permissions';
import { formatDate } from '../../format/formatTime';

const maxFacts = 30;

/** The servers that a person agreed to start, as permissions that can be withdrawn. */
export class ServerPermissions implements PermissionSource {
  readonly #trust: Pick<ServerTrust, 'all' | 'withdraw' | 'withdrawAll'>;

  constructor(trust: Pick<ServerTrust, 'all' | 'withdraw' | 'withdrawAll'>) {
    this.#trust = trust;
  }

  get heading(): string {
    return l10n.t('Servers that may start');
  }

  async all(): Promise<readonly PermissionItem[]> {
    return (await this.#trust.all()).map(toItem);
  }

  withdraw(ids: readonly string[]): Promise<void> {
    return settleAll(ids.map((id) => this.#trust.withdraw(id)));
  }

  withdrawAll(): Promise<void> {
    return this.#trust.withdrawAll();
  }
}

function toItem({ key, server, path, facts, trustedAt }: TrustedServer): PermissionItem {
  const label = l10n.t('start {0}', quoted(server));
  const given = l10n.t('given {0}', formatDate(trustedAt));
  const how = facts.map(factText);
  return {
    id: key,
    label,
    description: quoted(how.slice(0, 3).join(' ')),
    detail: path === undefined ? given : [given, quoted(path)].join(' · '),
    about: [label, '', ...how.slice(0, maxFacts).map(quoted), '', given],
  };
}

function factText({ name, value, written, mask }: StartFact): string {
  const shown = value ?? written ?? (mask === undefined ? '' : '•••');
  return name === undefined ? shown : `${name}=${shown}`;
}
