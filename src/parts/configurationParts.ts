import * as vscode from 'vscode';
import { valueWithin } from '../core/bounds/valueWithin';
import type { ClientProfiles } from '../host/configuration/clientProfiles';
import type { DisabledItems } from '../host/configuration/toolChoices';
import type { ServerRegistry } from '../host/connections/registry';
import type { RecordingParts } from './recordingParts';
import type { SecretParts } from './secretParts';
import type { ServerLogs } from '../ui/servers/serverLogs';
import type { ServerProcesses } from '../ui/servers/serverProcesses';
import { WritePreviews } from '../ui/adding/writePreviews';
import type { ServerActions } from '../ui/servers/serverActions';
import {
  registerConfigurationCommands,
  demoServerConfig,
} from '../ui/configuration/configurationCommands';
import {
  ConfigurationDiagnostics,
  ConfigurationLog,
} from '../ui/configuration/configurationDiagnostics';
import { userConfigurationFiles } from '../ui/editor/configurationSources';
import { readSources, type ReadSource } from '../ui/configuration/readSources';
import { registerClientProfiles } from '../ui/configuration/clientProfileCommands';
import { registerDisableCommands } from '../ui/configuration/disableCommands';
import { ConfigurationFixes } from '../ui/configuration/configurationFixes';
import { ConfigurationLenses } from '../ui/configuration/configurationLenses';
import {
  type Configuration,
  ConfigurationWatcher,
  type ConfigurationWatcherOptions,
} from '../ui/configuration/configurationWatcher';
import { missingPrograms } from '../ui/configuration/programChecks';
import { registerRestartOnSave } from '../ui/configuration/restartOnSave';
import { registerSignInInstead, registerAddHeader } from '../ui/configuration/signInInstead';
import { registerMoveServers } from '../ui/adding/moveServers';
import { registerSecretMoves } from '../ui/configuration/secretMoves';
import { registerSharedFileSchema } from '../ui/configuration/sharedFileSchema';
import { commands } from '../ids';
import { sharesRoots } from '../ui/editor/localFolders';
import { addServer } from '../ui/adding/addServer';
import { AddLinks } from '../ui/adding/addLinks';
import { importServers, type ImportServersOptions } from '../ui/adding/importServers';
import { notify } from '../ui/editor/messages';

export interface ConfigurationPartsOptions extends Pick<
  ConfigurationWatcherOptions,
  'settings' | 'environment'
> {
  readonly context: Pick<vscode.ExtensionContext, 'extensionUri' | 'globalStorageUri'>;
  readonly registry: ServerRegistry;
  readonly actions: ServerActions;
  readonly disabled: DisabledItems;
  readonly profiles: ClientProfiles;
  readonly recording: Pick<RecordingParts, 'recorded' | 'registerReplay'>;
  readonly secrets: Pick<SecretParts, 'remembered'>;
  readonly processes: Pick<ServerProcesses, 'programs'>;
  readonly onDidOpenLink: vscode.Event<vscode.Uri>;
  /** Logs of servers that are no longer configured are dropped. */
  readonly logs: Pick<ServerLogs, 'setServers' | 'keepOnly' | 'of' | 'extension'>;
}

/** A folder on an unreachable network drive may never answer. */
const readFirstMs = 2_000;

/**
 * Reads the configuration before the objects are created; returns `undefined` if it takes too long.
 */
export function readFirst(
  context: Pick<vscode.ExtensionContext, 'globalStorageUri'>,
): Promise<readonly ReadSource[] | undefined> {
  return valueWithin(readSources(userConfigurationFiles(context)), readFirstMs);
}

/** Reads the configuration of servers, passes it to the registry, and shows its problems. */
export class ConfigurationParts {
  /** Shows a preview of a file before it is written. */
  readonly previews = new WritePreviews();
  readonly #watcher: ConfigurationWatcher;
  readonly #options: ConfigurationPartsOptions;
  readonly #diagnostics = new ConfigurationDiagnostics();
  readonly #log: ConfigurationLog;
  readonly #userFiles: ReturnType<typeof userConfigurationFiles>;
  #current: Configuration | undefined;

  constructor(options: ConfigurationPartsOptions) {
    const { context, settings, environment } = options;
    this.#options = options;
    this.#log = new ConfigurationLog(options.logs);
    this.#userFiles = userConfigurationFiles(context);
    this.#watcher = new ConfigurationWatcher({
      settings,
      environment,
      demoServer: demoServerConfig(context.extensionUri),
      recorded: options.recording.recorded,
      userFiles: this.#userFiles,
      apply: (configuration) => this.#apply(configuration),
    });
  }

  register(): vscode.Disposable {
    const { registry, actions, disabled, secrets, environment, settings } = this.#options;
    const { remembered } = secrets;
    const [diagnostics, watcher, userFiles] = [this.#diagnostics, this.#watcher, this.#userFiles];
    return vscode.Disposable.from(
      new vscode.Disposable(() => {
        this.#current = undefined;
      }),
      watcher,
      diagnostics,
      registerConfigurationCommands({ registry, actions, watcher, userFiles }),
      registerDisableCommands({ registry, disabled }),
      registerClientProfiles({ ...this.#options, sharesRoots: () => sharesRoots(settings) }),
      registerSharedFileSchema(),
      new ConfigurationLenses(registry, userFiles),
      new ConfigurationFixes({ diagnostics }),
      registerSignInInstead(registry),
      registerAddHeader(registry),
      registerRestartOnSave(registry),
      this.#options.recording.registerReplay({ registry, actions, reload: () => watcher.reload() }),
      registerMoveServers({
        registry,
        userFiles,
        previews: this.previews,
        environment,
        reload: () => watcher.reload(),
      }),
      registerSecretMoves({ diagnostics, remembered, environment }),
      registerAdding({
        registry,
        remembered,
        userFiles,
        previews: this.previews,
        onDidOpenLink: this.#options.onDidOpenLink,
        env: environment.env,
        machine: { ...environment, platform: process.platform },
        reload: () => watcher.reload(),
      }),
    );
  }

  /** Starts with the files that were read already, if any. */
  begin(files: readonly ReadSource[] | undefined): void {
    this.#watcher.begin(files);
  }

  #apply(configuration: Configuration): void {
    const { servers, problems, texts } = configuration;
    this.#current = configuration;
    this.#options.logs.setServers(servers);
    this.#options.registry.setConfiguration(servers, problems);
    this.#diagnostics.show(problems, texts);
    this.#options.logs.keepOnly(new Set(servers.map(({ id }) => id)));
    this.#log.write(problems, servers);
    void this.#checkPrograms(configuration);
  }

  /** Checks programs after everything else is shown, because it takes a moment. Never rejects. */
  async #checkPrograms(configuration: Configuration): Promise<void> {
    const { servers, problems, texts } = configuration;
    const found = await missingPrograms(servers, this.#options.processes.programs);
    if (found.length === 0 || this.#current !== configuration) return;
    this.#diagnostics.show([...problems, ...found], texts);
  }
}

interface AddingPartsOptions extends ImportServersOptions {
  readonly previews: WritePreviews;
  /** Fires for `vscode://` addresses of the extension. */
  readonly onDidOpenLink: vscode.Event<vscode.Uri>;
}

/** Registers how servers are added to a configuration: pasted, imported or linked. */
function registerAdding(options: AddingPartsOptions): vscode.Disposable {
  const { previews } = options;
  const links = new AddLinks(options);
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    previews,
    previews.register(),
    register(commands.addServer, () => addServer(options)),
    register(commands.importServers, () => importServers(options)),
    options.onDidOpenLink((uri) => {
      links.handleUri(uri).catch((error: unknown) => notify('error', String(error)));
    }),
  );
}
