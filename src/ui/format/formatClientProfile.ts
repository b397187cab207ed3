import * as l10n from '@vscode/l10n';
import { claimableCapabilities, type ClientProfile } from '../../host/configuration/clientProfiles';
import { quoted } from './sentences';

/** Says in a row as which client Toolgate connects. */
export function formatClientProfile({ name }: ClientProfile): string {
  return name === undefined ? l10n.t('as another client') : l10n.t('as “{0}”', quoted(name));
}

/** Lists in a tooltip which client name, revision and capabilities the server gets. */
export function clientProfileLines({ name, revision, claimed = {} }: ClientProfile): string[] {
  const listed = (isClaimed: boolean) =>
    claimableCapabilities.filter((each) => claimed[each] === isClaimed).join(', ');
  const [shown, hidden] = [listed(true), listed(false)];
  return [
    l10n.t('Toolgate connects as another client, as you chose.'),
    ...(name === undefined ? [] : [l10n.t('Client name: {0}', quoted(name))]),
    ...(revision === undefined ? [] : [l10n.t('Offered revision: {0}', revision)]),
    ...(shown === '' ? [] : [l10n.t('Claimed capabilities: {0}', shown)]),
    ...(hidden === '' ? [] : [l10n.t('Hidden capabilities: {0}', hidden)]),
  ];
}
