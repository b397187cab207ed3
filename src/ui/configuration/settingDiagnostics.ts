import * as vscode from 'vscode';
import type { ConfigProblem } from '../../host/configuration/serverConfig';
import { settings } from '../../ids';
import { Debouncer } from '../editor/debouncer';
import { TextPlaces } from '../editor/textPlaces';
import { ServerEntries } from '../../host/configuration/serverEntries';
import { isUserSettings } from '../editor/configurationSources';

/** The user is typing. */
const quietMs = 200;
/** Problems about the name of an entry rather than its content. */
const aboutNames: ReadonlySet<ConfigProblem['code']> = new Set([
  'unknownKey',
  'unsupportedKey',
  'shadowed',
  'ownBridge',
]);

/** JSON path of the servers in a settings document. */
export const settingPath = [`${settings.section}.${settings.servers}`];

/** Shows the problems of servers of the setting in the open user settings. */
export class SettingDiagnostics implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection();
  readonly #toDiagnostic: (problem: ConfigProblem, range: vscode.Range) => vscode.Diagnostic;
  readonly #quiet = new Debouncer(() => this.#showAll(), quietMs);
  readonly #subscriptions: vscode.Disposable;
  #problems: readonly ConfigProblem[] = [];

  constructor(toDiagnostic: (problem: ConfigProblem, range: vscode.Range) => vscode.Diagnostic) {
    this.#toDiagnostic = toDiagnostic;
    const look = ({ uri }: vscode.TextDocument): void => {
      if (isUserSettings(uri)) this.#quiet.start();
    };
    this.#subscriptions = vscode.Disposable.from(
      this.#collection,
      vscode.workspace.onDidOpenTextDocument(look),
      vscode.workspace.onDidChangeTextDocument(({ document }) => look(document)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#collection.delete(uri)),
    );
  }

  /** Replaces all shown problems. Ignores problems of other sources. */
  show(problems: readonly ConfigProblem[]): void {
    this.#problems = problems.filter(({ source }) => source.kind === 'setting');
    this.#showAll();
  }

  dispose(): void {
    this.#quiet.dispose();
    this.#subscriptions.dispose();
  }

  #showAll(): void {
    this.#collection.clear();
    const documents = vscode.workspace.textDocuments.filter(({ uri }) => isUserSettings(uri));
    for (const document of this.#problems.length === 0 ? [] : documents) {
      const text = document.getText();
      const [entries, places] = [new ServerEntries(text), new TextPlaces(text)];
      const diagnostics = this.#problems.flatMap((problem) => {
        const path = [...settingPath, ...problem.path];
        const range = aboutNames.has(problem.code) ? entries.key(path) : entries.value(path);
        // The document is the settings of another profile, or is not saved yet.
        return range === undefined ? [] : [this.#toDiagnostic(problem, places.range(range))];
      });
      this.#collection.set(document.uri, diagnostics);
    }
  }
}
