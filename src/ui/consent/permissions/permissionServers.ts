import * as l10n from '@vscode/l10n';
import type { ServerTrust, TrustedServer } from '../../../host/consent/trust/serverTrust';
import type { StartFact, StartPart } from '../../../host/consent/trust/startFacts';
import { quoted } from '../../format/sentences';
import { settleAll } from '../../../host/storage/settleAll';
import type { PermissionItem, PermissionSource } from './permissions';
import { startFactLines } from '../../serverTrust/formatTrustQuestion';
import { formatDate } from '../../format/formatTime';

const maxFacts = 30;

/** The servers that the user agreed to start, as permissions that can be withdrawn. */
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
