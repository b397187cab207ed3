import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { FileRefusedError } from '../../core/bounds/regularFile';
import {
  mergeConfigurations,
  keepServersIfBroken,
  type ParsedConfiguration,
  parseFile,
  parseServersSetting,
} from '../../host/configuration/configuration';
import { maxNamedFileBytes, readNamedText } from '../../host/configuration/readConfiguration';
import type { RecordedServers } from '../../host/recording/recordedServers';
import type { ConfigProblem, ServerConfig } from '../../host/configuration/serverConfig';
import type { ConfigurationContext } from '../../host/configuration/variables';
import { Debouncer } from '../editor/debouncer';
import { watchFiles } from '../editor/watchFiles';
import { sourceFiles } from '../editor/configurationSources';
import { readSources, type ReadSource } from './readSources';
import { isForeignSetting, type SettingsReader } from '../settings/settings';

/** All configured servers, and the texts in which their problems are located. */
export interface Configuration {
  readonly servers: readonly ServerConfig[];
  readonly problems: readonly ConfigProblem[];
  /** Text of each file that was read, by path. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface ConfigurationWatcherOptions {
  readonly settings: SettingsReader;
  readonly demoServer: ServerConfig;
  /** Servers that replay recordings. By default there are none. */
  readonly recorded?: Pick<RecordedServers, 'configs' | 'onDidChange'>;
  /** Paths of the user's own files, in order of precedence. */
  readonly userFiles: readonly string[];
  readonly environment: Pick<ConfigurationContext, 'userHome' | 'env'>;
  readonly apply: (configuration: Configuration) => void;
}

/** Editors save in several steps, and a branch switch changes many files. */
const quietMs = 200;
/** Key of the setting, which has no path. */
const settingKey = '';

/**
 * Reads the configuration files of the workspace folders in order, then the user's file and
 * setting, then the demo server. It reads them again whenever one of them changes, or a file or
 * setting that they name. The first entry of a name wins. Reading starts no program, so it also
 * happens in untrusted workspaces.
 */
export class ConfigurationWatcher implements vscode.Disposable {
  readonly #options: ConfigurationWatcherOptions;
  readonly #subscriptions: vscode.Disposable[];
  #fileWatcher: vscode.Disposable | undefined;
  #namedFiles: ReadonlySet<string> = new Set();
  #namedFileWatcher: vscode.Disposable | undefined;
  /** True if a text refers to a setting of the editor. */
  #namesSettings = false;
  /** The last valid content of each source, by file path or the key of the setting. */
  readonly #lastGood = new Map<string, ParsedConfiguration>();
  readonly #quiet = new Debouncer(() => void this.reload(), quietMs);
  #reading: Promise<void> | undefined;
  #readingAgain: Promise<void> | undefined;
  #isDisposed = false;

  /** The constructor reads nothing; call {@link reload}. */
  constructor(options: ConfigurationWatcherOptions) {
    this.#options = options;
    this.#watchFiles();
    this.#subscriptions = [
      options.settings.onDidChange(() => this.#quiet.start()),
      ...[options.recorded?.onDidChange(() => this.#quiet.start())].filter(isThere),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.#watchFiles();
        this.#quiet.start();
      }),
      vscode.workspace.onDidChangeConfiguration(() => {
        if (this.#namesSettings) this.#quiet.start();
      }),
      // Files that entries name are read only in a trusted workspace.
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#quiet.start()),
    ];
  }

  /**
   * Resolves when the current configuration has been applied. Never rejects. Joins a reload that is
   * about to start.
   */
  reload(): Promise<void> {
    if (this.#reading === undefined) {
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    // The reload that is running may have missed the change that this call is about.
    this.#readingAgain ??= this.#reading.then(() => {
      this.#readingAgain = undefined;
      return this.reload();
    });
    return this.#readingAgain;
  }

  /**
   * Applies files that were read before activation, so that the window never shows an empty list
   * first. Reloads soon after, because the files were not watched meanwhile.
   */
  begin(files: readonly ReadSource[] | undefined): void {
    if (files !== undefined) this.#apply(files);
    this.#quiet.start();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#quiet.dispose();
    this.#fileWatcher?.dispose();
    this.#namedFileWatcher?.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #watchFiles(): void {
    this.#fileWatcher?.dispose();
    const files = sourceFiles(this.#options.userFiles).map(({ source }) => source.path);
    this.#fileWatcher = watchFiles(files, () => this.#quiet.start());
  }

  #watchNamedFiles(files: ReadonlySet<string>): void {
    if ([...files].toSorted().join('\n') === [...this.#namedFiles].toSorted().join('\n')) return;
    this.#namedFileWatcher?.dispose();
    this.#namedFiles = files;
    this.#namedFileWatcher = watchFiles([...files], () => this.#quiet.start());
  }

  async #read(): Promise<void> {
    this.#apply(await readSources(this.#options.userFiles));
  }

  #apply(files: readonly ReadSource[]): void {
    if (this.#isDisposed) return;
    const named = new Set<string>();
    this.#forgetAllBut(files.map(({ file }) => file.source.path));
    const configurations = files.map(({ file: { source, folder }, read }) =>
      this.#orLastGood(source.path, parseFile(read, source, this.#context(named, folder))),
    );
    const texts = new Map(
      files.flatMap(({ file, read }) =>
        read.kind === 'text' ? [[file.source.path, read.text] as const] : [],
      ),
    );
    const { settings, demoServer } = this.#options;
    const { servers, isDemoServerEnabled } = settings.current;
    const setting = parseServersSetting(servers, { kind: 'setting' }, this.#context(named));
    const demo = {
      servers: isDemoServerEnabled ? [demoServer] : [],
      problems: [],
      isBroken: false,
    };
    const merged = mergeConfigurations([
      ...configurations,
      this.#orLastGood(settingKey, setting),
      demo,
      { servers: this.#options.recorded?.configs ?? [], problems: [], isBroken: false },
    ]);
    this.#watchNamedFiles(named);
    const all = [...texts.values(), JSON.stringify(servers ?? '')];
    this.#namesSettings = all.some((text) => text.includes('${config:'));
    this.#options.apply({ ...merged, texts });
  }

  /** If a folder comes back, its current content is read. */
  #forgetAllBut(files: readonly string[]): void {
    const read = new Set([...files, settingKey]);
    for (const path of this.#lastGood.keys()) if (!read.has(path)) this.#lastGood.delete(path);
  }

  #orLastGood(path: string, now: ParsedConfiguration): ParsedConfiguration {
    const counted = keepServersIfBroken(now, this.#lastGood.get(path));
    if (!now.isBroken) this.#lastGood.set(path, now);
    return counted;
  }

  /** Adds the files that entries name to `named`. */
  #context(named: Set<string>, folder?: vscode.WorkspaceFolder): ConfigurationContext {
    const workspaceFolders = (vscode.workspace.workspaceFolders ?? []).map(toFolder);
    return {
      ...this.#options.environment,
      workspaceFolders,
      ...(folder === undefined ? {} : { folder: toFolder(folder) }),
      setting: (key) => vscode.workspace.getConfiguration(undefined, folder?.uri).get(key),
      isForeignSetting: (key) => isForeignSetting(key, folder?.uri),
      readFile: (path) => {
        named.add(path);
        return readNamedFile(path);
      },
    };
  }
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function toFolder({ name, uri }: vscode.WorkspaceFolder): { name: string; path: string } {
  return { name, path: uri.fsPath };
}

/**
 * An entry may name any file, even an endless device or a network share that asks for a login. So
 * only regular files are read, and none in an untrusted workspace.
 */
function readNamedFile(path: string): string {
  if (!vscode.workspace.isTrusted) {
    throw new Error(l10n.t('not read because the workspace is not trusted'));
  }
  try {
    return readNamedText(path);
  } catch (error) {
    if (!(error instanceof FileRefusedError)) throw error;
    if (error.refusal !== 'tooLarge') {
      throw new Error(l10n.t('not a file'), { cause: error });
    }
    throw new Error(l10n.t('larger than {0} bytes', maxNamedFileBytes), { cause: error });
  }
}
