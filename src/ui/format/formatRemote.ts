import * as l10n from '@vscode/l10n';

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
