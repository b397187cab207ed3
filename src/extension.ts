import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { ToolgateApi } from './api';
import type { ConnectionLog } from './core/log';
import { SchemaValidator } from './core/schema/schema';
import { LiveProcesses } from './core/stdio/stdioProcess';
import { connectServer } from './host/connections/connectServer';
import { Gate } from './host/gate';
import { KnownEras } from './host/connections/knownEras';
import { ServerRegistry } from './host/connections/registry';
import { ConfigurationDiagnostics } from './ui/configuration/configurationDiagnostics';
import { registerConfigurationCommands } from './ui/configuration/configurationCommands';
import { ConfigurationWatcher } from './ui/configuration/configurationWatcher';
import { CallToolCommand } from './ui/calls/callToolCommand';
import { ModalConfirm } from './ui/calls/confirm';
import { CallReviews } from './ui/calls/confirmReview';
import { ContextKeys } from './ui/contextKeys';
import { registerCopyToolName } from './ui/servers/copyToolName';
import { demoServerConfig } from './ui/servers/demoServer';
import { Elicitations } from './ui/elicitation/elicitations';
import { ExtensionApi } from './ui/extensionApi';
import { registerFilterCommands } from './ui/tree/filterCommands';
import { ServerActions } from './ui/servers/serverActions';
import { registerServerCommands } from './ui/servers/serverCommands';
import { ServerLogs } from './ui/servers/serverLogs';
import { ServerTreeView } from './ui/tree/serverTreeView';
import { Results } from './ui/results/results';
import { SettingsReader } from './ui/configuration/settings';
import { ToolFilterState } from './ui/tree/toolFilterState';
import { withWorkspaceRoots } from './ui/workspaceRoots';

/** Ends what runs; there is one extension in one extension host. */
let stopAll: () => Promise<void> = () => Promise.resolve();

/**
 * Makes every object and joins them; the constructors' arguments are the diagram. Starts no server
 * and waits for none: the configuration is read, and that is all.
 */
export async function activate(context: vscode.ExtensionContext): Promise<ToolgateApi> {
  const own = <T extends { dispose(): void }>(part: T): T => {
    context.subscriptions.push(part);
    return part;
  };

  const logs = own(new ServerLogs());
  const settings = own(new SettingsReader(logs.extension));

  const processes = new LiveProcesses();
  const killNow = (): void => processes.killNow();
  process.once('exit', killNow);

  const logOf = (id: string): ConnectionLog =>
    logs.of(registry.find(id)?.config ?? { id, label: id });
  const validator = new SchemaValidator();
  const elicitations = new Elicitations({ validator });
  const registry: ServerRegistry = own(
    new ServerRegistry({
      isTrusted: () => vscode.workspace.isTrusted,
      logOf,
      connect: connectServer({
        clientInfo: { name: 'toolgate', title: 'Toolgate', version: versionOf(context) },
        processes,
        logOf,
        knownEras: new KnownEras(context.globalState),
        inputOf: ({ id, label }) =>
          withWorkspaceRoots(elicitations.handlerFor({ label, log: logOf(id) }), settings),
        limits: () => settings.current,
      }),
    }),
  );
  stopAll = async () => {
    await registry.stopAll();
    // Not before: VS Code may end the process while servers are still being asked to leave.
    process.off('exit', killNow);
  };

  const reviews = own(new CallReviews());
  const confirm = new ModalConfirm(reviews);
  const gate = new Gate({
    registry,
    validator,
    confirm: (question, token) => confirm.confirm(question, token),
    callTimeoutMs: () => settings.current.callTimeoutMs,
  });

  const diagnostics = own(new ConfigurationDiagnostics());
  const watcher = own(
    new ConfigurationWatcher({
      settings,
      demoServer: demoServerConfig(context.extensionUri),
      environment: { userHome: homedir(), env: process.env },
      apply: ({ servers, problems, texts }) => {
        registry.setConfiguration(servers, problems);
        diagnostics.show(problems, texts);
        logs.keepOnly(new Set(servers.map(({ id }) => id)));
      },
    }),
  );

  const filter = own(new ToolFilterState(context.workspaceState));
  const treeView = own(new ServerTreeView(registry, filter));
  own(new ContextKeys(registry, filter));
  const actions = new ServerActions(registry);
  own(registerServerCommands({ registry, actions, logs }));
  own(registerConfigurationCommands({ registry, actions, watcher }));
  own(registerCopyToolName(registry));
  own(registerFilterCommands(filter, treeView));

  const results = own(
    new Results({
      registry,
      budgetBytes: settings.current.resultBudgetBytes,
      startServer: (id) => actions.start(id),
    }),
  );
  own(results.registerCommands());
  own(settings.onDidChange(({ resultBudgetBytes }) => results.setBudget(resultBudgetBytes)));
  const calls = own(
    new CallToolCommand({
      registry,
      actions,
      validator,
      reviews,
      gate,
      showOutcome: (_request, outcome) => results.show(outcome),
    }),
  );
  own(calls.register());

  await watcher.reload();
  return own(
    new ExtensionApi({ registry, gate, keepDocument: (outcome) => results.keep(outcome) }),
  );
}

/** VS Code waits a few seconds for this; what is left then is killed as the process exits. */
export function deactivate(): Promise<void> {
  return stopAll();
}

function versionOf({ extension }: vscode.ExtensionContext): string {
  const { version }: { version?: unknown } = extension.packageJSON;
  return typeof version === 'string' ? version : '0';
}
