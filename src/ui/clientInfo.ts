import type { ExtensionContext } from 'vscode';
import type { ClientInfo } from '../core/eras/era';
import { ownClientName } from '../host/agents/agentProtocol';

/** Returns the client name and version that servers get. */
export function clientInfoOf({ extension }: Pick<ExtensionContext, 'extension'>): ClientInfo {
  const { version }: { version?: unknown } = extension.packageJSON;
  return {
    name: ownClientName,
    title: 'Toolgate',
    version: typeof version === 'string' ? version : '0',
  };
}
