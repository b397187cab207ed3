import { userInfo } from 'node:os';
import * as vscode from 'vscode';
import type { ConnectionLog } from '../../core/log';
import { LoginShell } from '../../core/stdio/loginShell';
import { processUsage, type ProcessUsage } from '../../core/stdio/processFacts';
import { Programs } from '../../core/stdio/programs';
import type { Environment } from '../../core/stdio/stdioEnvironment';
import { LiveProcesses } from '../../core/stdio/stdioProcess';
import type { ServerTrust } from '../../host/consent/trust/serverTrust';
import type { CrashRestartPolicy } from '../../host/processes/crashRestarts';
import { ProcessRecords } from '../../host/processes/processRecords';
import type { SettingsReader } from '../settings/settings';
/** Folder below the extension's global storage. */
const folderName = 'processes';

/**
 * Shared by all servers that are processes: finds their programs and tracks which ones are alive.
 */
export class ServerProcesses implements vscode.Disposable {
  readonly environment: Environment;
  readonly live = new LiveProcesses();
  readonly programs: Programs;
  readonly #killNow = (): void => this.live.killNow();

  readonly #records: ProcessRecords;
  readonly #settings: Pick<SettingsReader, 'current'>;

  /** Ends processes that a killed window left behind, without waiting for it. */
  constructor(
    environment: Environment,
    { globalStorageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri'>,
    settings: Pick<SettingsReader, 'current'>,
    log: ConnectionLog,
  ) {
    this.environment = environment;
    this.#settings = settings;
    const folder = vscode.Uri.joinPath(globalStorageUri, folderName).fsPath;
    this.#records = new ProcessRecords({ folder, live: this.live, log });
    void this.#records.sweep();
    const shell = isFromDesktop(environment) ? shellOf(environment) : undefined;
    this.programs = new Programs({
      environment,
      ...(shell === undefined ? {} : { loginShell: new LoginShell({ environment, shell }) }),
    });
    process.once('exit', this.#killNow);
  }

  /** Returns the policy for restarting processes after a crash. */
  restartsFor(trust: Pick<ServerTrust, 'stateOf'>): CrashRestartPolicy {
    return {
      isOn: () => this.#settings.current.restartsCrashedServers && vscode.workspace.isTrusted,
      mayRestart: async (config) => (await trust.stateOf(config)).kind === 'trusted',
    };
  }

  /**
   * Returns the facts for the tree: whether opening a row starts a server, and the resource usage
   * of its process.
   */
  forTree(start: (serverId: string) => Promise<unknown>): ServerTreeProcesses {
    return { startsWhenOpened: () => this.startsOnUse(), usageOf: processUsage, start };
  }

  startsOnUse(): boolean {
    return this.#settings.current.startServers !== 'never';
  }

  /**
   * Everything has been stopped in order. It is not done earlier, because VS Code may end us while
   * servers are stopping.
   */
  dispose(): void {
    this.#records.dispose();
    process.off('exit', this.#killNow);
  }
}

/**
 * True if the window was not started from a shell, so that the user's shell profile has not been
 * read for it. VS Code usually reads it, too, but not always in time and not for every shell.
 */
function isFromDesktop(environment: Environment): boolean {
  const { remoteName, appHost } = vscode.env;
  const isLocal = remoteName === undefined && appHost === 'desktop';
  return isLocal && process.platform !== 'win32' && environment['VSCODE_CLI'] !== '1';
}

/** Returns `undefined` if there is no shell, as for the user of a service. */
function shellOf(environment: Environment): string | undefined {
  const shell = environment['SHELL'] ?? userInfo().shell ?? '';
  return shell === '' || /\/(?:nologin|false)$/.test(shell) ? undefined : shell;
}

/** The facts that the tree needs about the processes behind its rows. */
export interface ServerTreeProcesses {
  /** True if a stopped server starts when its row is opened. */
  readonly startsWhenOpened: () => boolean;
  /** Called while the tooltip of the row is shown. */
  readonly usageOf: (pid: number) => Promise<ProcessUsage | undefined>;
  readonly start: (serverId: string) => Promise<unknown>;
}
