import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import type { Server, ServerState } from '../../host/connections/snapshot';

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
