import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import {
  mergeConfigurations,
  orLastGood,
  type ParsedConfiguration,
  parseMcpJson,
  parseServersSetting,
  unreadableConfiguration,
} from '../../host/configuration/configuration';
import type {
  ConfigProblem,
  ConfigSource,
  ServerConfig,
} from '../../host/configuration/serverConfig';
import type { ConfigurationContext } from '../../host/configuration/variables';
import {
  type ConfigurationFile,
  configurationFilePath,
  configurationFiles,
} from './configurationFiles';
import { readNamedFile, type ReadText, readText } from './configurationText';
import type { SettingsReader } from './settings';

/** Everything that is configured now, and what the problems are places in. */
export interface Configuration {
  readonly servers: readonly ServerConfig[];
  readonly problems: readonly ConfigProblem[];
  /** Text of each file that was read, by its path. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface ConfigurationWatcherOptions {
  readonly settings: SettingsReader;
  readonly demoServer: ServerConfig;
  readonly environment: Pick<ConfigurationContext, 'userHome' | 'env'>;
  readonly apply: (configuration: Configuration) => void;
}

/** Editors save in several steps, and a branch switch changes many files. */
const quietMs = 200;

/**
 * Reads the configuration files of the workspace folders in their order, then the user's setting,
 * then the demo server, and again whenever one of them changes; the first of a name counts.
 * Reading starts nothing, so it happens in untrusted workspaces too.
 */
export class ConfigurationWatcher implements vscode.Disposable {
  readonly #options: ConfigurationWatcherOptions;
  readonly #subscriptions: vscode.Disposable[];
  #fileWatchers: readonly vscode.Disposable[] = [];
  /** What each source said when it last made sense, by file path; the setting has no path. */
  readonly #lastGood = new Map<string, ParsedConfiguration>();
  #quiet: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #readingAgain: Promise<void> | undefined;
  #isDisposed = false;

  /** Reads nothing yet; call {@link reload}. */
  constructor(options: ConfigurationWatcherOptions) {
    this.#options = options;
    this.#watchFiles();
    this.#subscriptions = [
      options.settings.onDidChange(() => this.#changed()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.#watchFiles();
        this.#changed();
      }),
      // Files that entries name are read only now.
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#changed()),
    ];
  }

  /** Resolves when what is there now has been applied. Never rejects; joins a reading to come. */
  reload(): Promise<void> {
    if (this.#reading === undefined) {
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    // The reading under way may have missed the change that this call is about.
    this.#readingAgain ??= this.#reading.then(() => {
      this.#readingAgain = undefined;
      return this.reload();
    });
    return this.#readingAgain;
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#quiet);
    for (const disposable of [...this.#subscriptions, ...this.#fileWatchers]) disposable.dispose();
  }

  #watchFiles(): void {
    for (const watcher of this.#fileWatchers) watcher.dispose();
    this.#fileWatchers = configurationFiles().flatMap(({ folder }) =>
      // Deleting or renaming the directory is told of the directory alone.
      [configurationFilePath, configurationFilePath.split('/')[0] ?? ''].map((glob) => {
        const pattern = new vscode.RelativePattern(folder, glob);
        const watcher = vscode.workspace.createFileSystemWatcher(pattern);
        watcher.onDidCreate(() => this.#changed());
        watcher.onDidChange(() => this.#changed());
        watcher.onDidDelete(() => this.#changed());
        return watcher;
      }),
    );
  }

  #changed(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => void this.reload(), quietMs);
  }

  async #read(): Promise<void> {
    const files = await Promise.all(
      configurationFiles().map(async (file) => ({ file, read: await readText(file.uri) })),
    );
    if (this.#isDisposed) return;
    const configurations = files.map(({ file, read }) => this.#parseFile(file, read));
    const texts = new Map(
      files.flatMap(({ file, read }) =>
        read.kind === 'text' ? [[file.uri.fsPath, read.text] as const] : [],
      ),
    );
    const { settings, demoServer } = this.#options;
    const { servers, isDemoServerEnabled } = settings.current;
    const setting = parseServersSetting(servers, { kind: 'setting' }, this.#context());
    const demo = {
      servers: isDemoServerEnabled ? [demoServer] : [],
      problems: [],
      isBroken: false,
    };
    const merged = mergeConfigurations([...configurations, this.#orLastGood('', setting), demo]);
    this.#options.apply({ ...merged, texts });
  }

  #parseFile({ folder, uri }: ConfigurationFile, read: ReadText): ParsedConfiguration {
    const path = uri.fsPath;
    const source: ConfigSource = { kind: 'workspaceFile', path, folder: folder.uri.fsPath };
    switch (read.kind) {
      case 'text':
        return this.#orLastGood(path, parseMcpJson(read.text, source, this.#context(folder)));
      case 'unreadable':
        return this.#orLastGood(path, unreadableConfiguration(source, read.reason));
      case 'absent':
        this.#lastGood.delete(path);
        return { servers: [], problems: [], isBroken: false };
      default:
        return assertNever(read);
    }
  }

  #orLastGood(path: string, now: ParsedConfiguration): ParsedConfiguration {
    const counted = orLastGood(now, this.#lastGood.get(path));
    if (!now.isBroken) this.#lastGood.set(path, now);
    return counted;
  }

  #context(folder?: vscode.WorkspaceFolder): ConfigurationContext {
    const workspaceFolders = (vscode.workspace.workspaceFolders ?? []).map(toFolder);
    return {
      ...this.#options.environment,
      workspaceFolders,
      ...(folder === undefined ? {} : { folder: toFolder(folder) }),
      readFile: readNamedFile,
    };
  }
}

function toFolder({ name, uri }: vscode.WorkspaceFolder): { name: string; path: string } {
  return { name, path: uri.fsPath };
}
