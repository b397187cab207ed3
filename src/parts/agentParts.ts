import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { AgentAccess } from '../host/agents/agentAccess';
import type { ToolSets } from '../host/agents/toolSets';
import type { SignInOccasions } from '../host/authorization/signInTiming';
import type { Gate } from '../host/calls/gate';
import type { ServerRegistry } from '../host/connections/registry';
import { registerAgentCommands } from '../ui/agents/agentCommands';
import { AgentService, gatewayIn, AgentStatus } from '../ui/agents/agentService';
import { AgentToolRules } from '../ui/agents/agentToolRules';
import { agentMessages } from '../ui/agents/agentMessages';
import { ChatServers } from '../ui/agents/chatServers';
import type { AgentDrafts } from '../host/agents/agentDrafts';
import type { ModalConfirm } from '../ui/calls/confirm';
import type { Results } from '../ui/results/results';
import type { ServerActions } from '../ui/servers/serverActions';
import type { ServerLogs } from '../ui/servers/serverLogs';
import type { ServerProcesses } from '../ui/servers/serverProcesses';
import type { SettingsReader } from '../ui/settings/settings';
import type { ConfigurationParts } from './configurationParts';
import type { ConsentParts } from './consentParts';
import type { SecretParts } from './secretParts';

export interface AgentPartsOptions {
  readonly context: vscode.ExtensionContext;
  readonly registry: ServerRegistry;
  readonly gate: Gate;
  readonly occasions: SignInOccasions;
  readonly consent: ConsentParts;
  readonly configuration: Pick<ConfigurationParts, 'previews'>;
  readonly settings: SettingsReader;
  readonly toolSets: ToolSets;
  readonly processes: Pick<ServerProcesses, 'startsOnUse'>;
  readonly secrets: Pick<SecretParts, 'questions'>;
  readonly logs: Pick<ServerLogs, 'extension'>;
  readonly results: Pick<Results, 'keep' | 'keepLater'>;
  readonly drafts: AgentDrafts;
  readonly dialog: Pick<ModalConfirm, 'answerAgents'>;
  readonly actions: Pick<ServerActions, 'start' | 'startAll'>;
}

/** Registers everything for agents outside the editor. It listens only after the user turned it on. */
export function registerAgents(options: AgentPartsOptions): vscode.Disposable {
  const { context, registry, gate, consent, settings, processes, logs, results, secrets } = options;
  const { rules, pins, serverTrust } = consent;
  const folder = vscode.Uri.joinPath(context.globalStorageUri, 'agents').fsPath;
  const access = new AgentAccess({
    registry,
    toolSets: options.toolSets,
    exposed: () => (settings.current.servesAgents ? settings.current.agentServers : []),
    rules: () => rules.rules,
    pins,
    isTrusted: async (config) => (await serverTrust.stateOf(config)).kind === 'trusted',
    isAnswered: ({ inputs }) => secrets.questions.areKnown(inputs),
    startsOnUse: () => processes.startsOnUse(),
    changes: [rules.onDidChange, pins.onDidChange, (act) => settings.onDidChange(() => act())],
  });
  const status = new AgentStatus();
  const version = String(context.extension.packageJSON.version);
  const service = new AgentService({
    access,
    gate,
    settings,
    status,
    folder,
    log: logs.extension,
    messages: agentMessages((id) => registry.find(id)?.config.label ?? id),
    occasions: options.occasions,
    keep: (outcome) => Promise.resolve(results.keepLater(outcome) ?? results.keep(outcome)),
    drafts: options.drafts,
    version,
    bridge: vscode.Uri.joinPath(context.extensionUri, 'dist', 'gateway.js').fsPath,
  });
  const gateway = gatewayIn(folder);
  const isOpen = (): Promise<boolean> => service.isOpen();
  const chat = new ChatServers({ registry, settings, gateway, version, isOpen });
  const cutOff = (): Promise<boolean> => service.cutOff();
  const commands = registerCommandsOfAgents(options, gateway, cutOff);
  return vscode.Disposable.from(service, access, status, chat.register(), commands);
}

function registerCommandsOfAgents(
  { registry, settings, consent, configuration, dialog, actions }: AgentPartsOptions,
  gateway: string,
  cutOff: () => Promise<boolean>,
): vscode.Disposable {
  const { previews } = configuration;
  const connecting = { gateway, previews, userHome: homedir() };
  const answerAll = (): Promise<boolean> => dialog.answerAgents();
  return vscode.Disposable.from(
    registerAgentCommands({ registry, settings, ...connecting, cutOff, answerAll }),
    new AgentToolRules({ registry, actions, book: consent.rules }).register(),
  );
}
