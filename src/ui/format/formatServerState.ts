import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import { claimableCapabilities, type ClientProfile } from '../../host/configuration/clientProfiles';
import type { Server, ServerState } from '../../host/connections/snapshot';
import { quoted } from './sentences';

/** Says in one word what a starting server waits for. */
export function formatServerStart(state: Extract<ServerState, { kind: 'starting' }>): string {
  if (state.isHeld === true) return l10n.t('waiting…');
  if (state.isInstalling === true) return l10n.t('installing…');
  return state.printed === undefined ? l10n.t('starting…') : l10n.t('no answer yet');
}

/** Describes the state of a server in a few words, for lists. Its tree row says more. */
export function formatServerState({ state, tools, isDisabled }: Server): string {
  if (isDisabled === true) return l10n.t('disabled');
  switch (state.kind) {
    case 'stopped':
      return l10n.t('stopped');
    case 'starting':
      return state.isHeld === true ? l10n.t('starting…') : formatServerStart(state);
    case 'running':
      return tools.length === 1
        ? l10n.t('running, 1 tool')
        : l10n.t('running, {0} tools', tools.length);
    case 'failed':
      return l10n.t('failed');
    default:
      return assertNever(state);
  }
}

/** True if the server can be started now. */
export function isIdle({ state, isDisabled }: Pick<Server, 'state' | 'isDisabled'>): boolean {
  return isDisabled !== true && (state.kind === 'stopped' || state.kind === 'failed');
}

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

/** Keyed by the first part of the authorities of VS Code's own remote extensions. */
const names: Readonly<Record<string, () => string>> = {
  wsl: () => l10n.t('WSL'),
  'ssh-remote': () => l10n.t('SSH'),
  'dev-container': () => l10n.t('container'),
  'attached-container': () => l10n.t('container'),
  codespaces: () => l10n.t('codespace'),
  tunnel: () => l10n.t('tunnel'),
};

/**
 * Returns in one word where programs run, for a narrow row. Returns `undefined` if that is the
 * local computer, or if a browser shows the machine's own window.
 */
export function remoteMachineName(remoteName: string | undefined): string | undefined {
  if (remoteName === undefined || !Object.hasOwn(names, remoteName)) return undefined;
  return names[remoteName]?.();
}

/** Returns the same as a sentence. */
export function machineSentence(remoteName: string | undefined): string {
  const word = remoteMachineName(remoteName);
  if (word !== undefined) return l10n.t('Runs in the remote window: {0}', word);
  return remoteName === undefined
    ? l10n.t('Runs on this computer')
    : l10n.t('Runs on the machine that this window is connected to');
}
