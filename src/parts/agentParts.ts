import * as vscode from 'vscode';
import { AgentAccess } from '../host/agents/agentAccess';
import type { Gate } from '../host/calls/gate';
import type { ServerRegistry } from '../host/connections/registry';
import { AgentCommands } from '../ui/agents/agentCommands';
import { AgentService, gatewayIn } from '../ui/agents/agentService';
import { AgentStatus } from '../ui/agents/agentStatus';
import { agentWords } from '../ui/agents/agentWords';
import type { Results } from '../ui/results/results';
import type { ServerLogs } from '../ui/servers/serverLogs';
import type { ServerProcesses } from '../ui/servers/serverProcesses';
import type { SettingsReader } from '../ui/settings/settings';
import type { ConsentParts } from './consentParts';

export interface AgentPartsOptions {
  readonly context: vscode.ExtensionContext;
  readonly registry: ServerRegistry;
  readonly gate: Gate;
  readonly consent: ConsentParts;
  readonly settings: SettingsReader;
  readonly processes: Pick<ServerProcesses, 'startsOnUse'>;
  readonly logs: Pick<ServerLogs, 'extension'>;
  readonly results: Pick<Results, 'keep'>;
}

/** Everything for agents outside of the editor; nothing of it listens until the person says so. */
export class AgentParts {
  readonly #options: AgentPartsOptions;

  constructor(options: AgentPartsOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    const { context, registry, gate, consent, settings, processes, logs, results } = this.#options;
    const { rules, pins, serverTrust } = consent;
    const folder = vscode.Uri.joinPath(context.globalStorageUri, 'agents').fsPath;
    const access = new AgentAccess({
      registry,
      exposed: () => settings.current.agentServers,
      rules: () => rules.rules,
      pins,
      isTrusted: async (config) => (await serverTrust.trust.stateOf(config)).kind === 'trusted',
      startsOnUse: () => processes.startsOnUse(),
      changes: [rules.onDidChange, pins.onDidChange, (act) => settings.onDidChange(() => act())],
    });
    const status = new AgentStatus();
    const service = new AgentService({
      access,
      gate,
      settings,
      status,
      folder,
      log: logs.extension,
      words: agentWords((id) => registry.find(id)?.config.label ?? id),
      keep: (outcome) => results.keep(outcome),
      version: String(context.extension.packageJSON.version),
      bridge: vscode.Uri.joinPath(context.extensionUri, 'dist', 'gateway.js').fsPath,
    });
    const gateway = gatewayIn(folder);
    const cutOff = (): Promise<boolean> => service.cutOff();
    const commands = new AgentCommands({ registry, settings, gateway, cutOff });
    return vscode.Disposable.from(service, access, status, commands.register());
  }
}
