import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { McpError, toMcpError } from '../../core/errors';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import { Diagnosis, proxyFor, type ProxySettings } from '../../host/diagnosis/diagnosis';
import type { DiagnosisOptions } from '../../host/diagnosis/diagnosisRun';
import type { Step } from '../../host/diagnosis/steps';
import type { SecretValues } from '../../host/secrets/secretValues';
import { commands, diagnosisScheme, internalCommands } from '../../ids';
import { clientInfoOf } from '../clientInfo';
import { registerCodeLenses } from '../editor/codeLenses';
import { notify, notifyServerError } from '../editor/messages';
import { showReadable } from '../editor/readableDocument';
import { lensAtLine } from '../editor/textPlaces';
import { quoted } from '../format/sentences';
import type { ServerLogs } from '../servers/serverLogs';
import { namedServer } from '../servers/serverPicker';
import type { ServerProcesses } from '../servers/serverProcesses';
import type { ServerTrustQuestions } from '../serverTrust/serverTrustQuestions';
import type { SettingsReader } from '../settings/settings';
import { diagnosisPath } from './diagnosisPath';
import { diagnosticReport, versionLines, withoutPersonalData } from './diagnosticReport';
import { diagnosisText } from './formatDiagnosis';

interface DiagnoseOptions {
  readonly context: vscode.ExtensionContext;
  readonly registry: ServerRegistry;
  readonly settings: SettingsReader;
  readonly processes: ServerProcesses;
  /** Values of inputs, and the secrets to hide. */
  readonly forRuns: Pick<DiagnosisOptions, 'inputs' | 'redact' | 'holdSecrets' | 'signInOf'>;
  readonly secretValues: Pick<SecretValues, 'redact'>;
  readonly trustQuestions: Pick<ServerTrustQuestions, 'ask'>;
  readonly logs: ServerLogs;
}

/** Diagnose Server… and Copy Diagnostic Report. */
export class Diagnose {
  readonly #options: DiagnoseOptions;
  readonly #diagnosis: Diagnosis;
  readonly #documents = new DiagnosisDocuments();

  constructor(options: DiagnoseOptions) {
    const { context, settings, processes, forRuns } = options;
    this.#options = options;
    this.#diagnosis = new Diagnosis({
      clientInfo: clientInfoOf(context),
      processes: processes.live,
      programs: processes.programs,
      ...forRuns,
      proxyOf: (url) => proxyFor(url, proxySettings(), processes.environment),
      limits: () => settings.current,
    });
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand(commands.diagnoseServer, (argument: unknown) =>
        this.#diagnose(argument),
      ),
      vscode.commands.registerCommand(commands.copyReport, () => this.#copyReport()),
      this.#documents.register(),
      this.#documents,
    );
  }

  /** Resolves when the diagnosis is finished. */
  async #diagnose(argument: unknown): Promise<void> {
    const server = await namedServer(argument, {
      registry: this.#options.registry,
      title: l10n.t('Diagnose Server'),
    });
    if (server === undefined || !(await this.#mayStart(server))) return;
    const { config, configProblems } = server;
    const uri = vscode.Uri.from({ scheme: diagnosisScheme, path: diagnosisPath(config.id) });
    const cancellation = new vscode.CancellationTokenSource();
    const { token } = cancellation;
    const versions = versionLines(this.#options.context);
    const textOf = (steps: readonly Step[]): string =>
      withoutPersonalData(diagnosisText(config, steps, versions), this.#options.secretValues);
    const shown = this.#documents.open(uri, () => cancellation.cancel());
    shown.write(textOf([]));
    await showReadable(uri);
    const onDidChange = (steps: readonly Step[]): void => shown.write(textOf(steps));
    shown.end(textOf(await this.#diagnosis.walk(config, configProblems, onDidChange, token)));
    cancellation.dispose();
  }

  /** A diagnosis runs the program, so it asks the same question as a start. */
  async #mayStart({ config, configProblems, isDisabled }: Server): Promise<boolean> {
    if (isDisabled === true) {
      notifyServerError(config, new McpError('serverDisabled'));
      return false;
    }
    if (configProblems.some(({ fatal }) => fatal)) return true;
    if (!vscode.workspace.isTrusted) {
      const sentence = l10n.t(
        'Server “{0}” was not diagnosed because this workspace is not trusted. Trust it first.',
        quoted(config.label),
      );
      const title = l10n.t('Manage Workspace Trust');
      notify('error', sentence, { title, command: 'workbench.trust.manage' });
      return false;
    }
    try {
      return await this.#options.trustQuestions.ask([config]);
    } catch (error) {
      notifyServerError(config, toMcpError(error));
      return false;
    }
  }

  async #copyReport(): Promise<void> {
    const { context, registry, logs, secretValues } = this.#options;
    const linesOf = (server: ServerConfig): readonly string[] => logs.lastLines(server);
    const redact = (text: string): string => withoutPersonalData(text, secretValues);
    await vscode.env.clipboard.writeText(diagnosticReport(context, registry, linesOf, redact));
    const sentence = l10n.t('The diagnostic report was copied. Read it before you share it.');
    notify('information', sentence);
  }
}

/** Returns VS Code's own proxy settings, which apply to all extensions. */
function proxySettings(): ProxySettings {
  const http = vscode.workspace.getConfiguration('http');
  return {
    proxy: http.get('proxy'),
    authorization: http.get('proxyAuthorization'),
    noProxy: http.get('noProxy'),
    support: http.get('proxySupport'),
  };
}

interface Shown {
  text: string;
  cancel: (() => void) | undefined;
}

/** A running diagnosis and its document. */
interface ShownDiagnosis {
  readonly write: (text: string) => void;
  /** Sets the final text. The diagnosis can no longer be cancelled. */
  readonly end: (text: string) => void;
}

/** Steps that end within this time cause one refresh. */
const gatheringMs = 100;

/** Diagnoses as read-only documents that grow while they are open. */
class DiagnosisDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #shown = new Map<string, Shown>();
  readonly #lenses = registerCodeLenses({ scheme: diagnosisScheme }, this);
  readonly #disposables: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;

  constructor() {
    this.#disposables = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(diagnosisScheme, this),
      this.#lenses,
      this.#onDidChange,
    );
  }

  /** Registers the commands above a document. */
  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand(internalCommands.copyDiagnosis, (path: unknown) =>
        this.#copy(path),
      ),
      vscode.commands.registerCommand(internalCommands.cancelDiagnosis, (path: unknown) =>
        this.#find(path)?.cancel?.(),
      ),
    );
  }

  /**
   * Uses the document for a new diagnosis. A diagnosis that still uses it is cancelled and writes
   * no more.
   */
  open(uri: vscode.Uri, cancel: () => void): ShownDiagnosis {
    this.#shown.get(uri.path)?.cancel?.();
    const shown: Shown = { text: '', cancel };
    this.#shown.set(uri.path, shown);
    const write = (text: string): void => {
      if (this.#shown.get(uri.path) !== shown) return;
      shown.text = text;
      this.#announce(uri);
    };
    const end = (text: string): void => {
      shown.cancel = undefined;
      write(text);
    };
    return { write, end };
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#shown.get(uri.path)?.text ?? l10n.t('This diagnosis has ended. Run it again.');
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const shown = this.#shown.get(uri.path);
    if (shown === undefined) return [];
    const lens = (title: string, command: string) => lensAtLine(0, title, command, uri.path);
    const copy = lens(l10n.t('Copy'), internalCommands.copyDiagnosis);
    return shown.cancel === undefined
      ? [copy]
      : [lens(l10n.t('Cancel'), internalCommands.cancelDiagnosis), copy];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const { cancel } of this.#shown.values()) cancel?.();
    this.#disposables.dispose();
  }

  #announce(uri: vscode.Uri): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const path of this.#shown.keys()) this.#onDidChange.fire(uri.with({ path }));
      this.#lenses.refresh();
    }, gatheringMs);
  }

  async #copy(path: unknown): Promise<void> {
    const shown = this.#find(path);
    if (shown !== undefined) await vscode.env.clipboard.writeText(shown.text);
  }

  #find(path: unknown): Shown | undefined {
    return typeof path === 'string' ? this.#shown.get(path) : undefined;
  }
}
