import { l10n } from 'vscode';
import type { Grant } from '../../../host/consent/grants/grant';
import type { Grants, GrantState } from '../../../host/consent/grants/grants';
import {
  coverWords,
  dateWords,
  grantDurationWords,
  grantWords,
  originWords,
  suspendedWords,
  suspensionWords,
} from '../../words/permissionWords';
import { quoted } from '../../words/sentences';
import { settleAll } from '../../../host/storage/settleAll';
import type { PermissionItem, PermissionSource } from './permissions';

/** More names than these are in nobody's head; the rest is counted. */
const maxNames = 50;

/** The answers that were remembered, as permissions that can be withdrawn. */
export class GrantPermissions implements PermissionSource {
  readonly #grants: Pick<Grants, 'all' | 'withdraw' | 'withdrawAll'>;

  constructor(grants: Pick<Grants, 'all' | 'withdraw' | 'withdrawAll'>) {
    this.#grants = grants;
  }

  get heading(): string {
    return l10n.t('Calls without a question');
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
    label: coverWords(grant),
    description: [grantDurationWords(grant.duration), ...standingWords(state)].join(' · '),
    detail: [givenWords(grant), usedWords(grant)].join(' · '),
    about: aboutLines(state),
  };
}

function standingWords({ suspended, suspendedTools }: GrantState): string[] {
  if (suspended !== undefined) return [suspendedWords(suspended)];
  if (suspendedTools === 0) return [];
  return [
    suspendedTools === 1
      ? l10n.t('suspended for 1 tool that changed')
      : l10n.t('suspended for {0} tools that changed', suspendedTools),
  ];
}

function aboutLines(state: GrantState): string[] {
  const { grant, suspended } = state;
  const names = Object.keys(grant.tools);
  const rest = names.length - maxNames;
  return [
    grantWords(grant),
    ...(suspended === undefined
      ? standingWords(state)
      : [l10n.t('It is suspended, so you are asked: {0}', suspensionWords(suspended))]),
    '',
    givenWords(grant),
    usedWords(grant),
    '',
    ...(grant.scope === 'readOnlyTools'
      ? [
          l10n.t('The tools it was given for:'),
          ...names.slice(0, maxNames).map(quoted),
          ...(rest > 0 ? [l10n.t('… and {0} more', rest)] : []),
          '',
        ]
      : []),
    l10n.t(
      'It counts as long as the server is configured as it was then and its tools are defined as they were.',
    ),
  ];
}

function givenWords({ createdAt, origin }: Grant): string {
  return l10n.t('given {0} {1}', dateWords(createdAt), originWords(origin));
}

function usedWords({ lastUsedAt }: Grant): string {
  return lastUsedAt === undefined
    ? l10n.t('never used')
    : l10n.t('last used {0}', dateWords(lastUsedAt));
}
