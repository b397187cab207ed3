import type * as vscode from 'vscode';
import type { ConfigProblem } from '../../host/configuration/serverConfig';
import { settings } from '../../ids';
import { OpenDocumentProblems } from '../editor/openDocumentProblems';
import { TextPlaces } from '../editor/textPlaces';
import { ServerEntries } from '../../host/configuration/serverEntries';
import { isUserSettings } from '../editor/configurationSources';

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
  readonly #toDiagnostic: (problem: ConfigProblem, range: vscode.Range) => vscode.Diagnostic;
  readonly #shown = new OpenDocumentProblems({
    isOurs: ({ uri }) => isUserSettings(uri),
    find: (document) => this.#find(document),
    also: [],
    quietMs: 200,
  });
  #problems: readonly ConfigProblem[] = [];

  constructor(toDiagnostic: (problem: ConfigProblem, range: vscode.Range) => vscode.Diagnostic) {
    this.#toDiagnostic = toDiagnostic;
  }

  /** Replaces all shown problems. Ignores problems of other sources. */
  show(problems: readonly ConfigProblem[]): void {
    this.#problems = problems.filter(({ source }) => source.kind === 'setting');
    this.#shown.refresh();
  }

  dispose(): void {
    this.#shown.dispose();
  }

  #find(document: vscode.TextDocument): vscode.Diagnostic[] {
    if (this.#problems.length === 0) return [];
    const text = document.getText();
    const [entries, places] = [new ServerEntries(text), new TextPlaces(text)];
    return this.#problems.flatMap((problem) => {
      const path = [...settingPath, ...problem.path];
      const range = aboutNames.has(problem.code) ? entries.key(path) : entries.value(path);
      // The document is the settings of another profile, or is not saved yet.
      return range === undefined ? [] : [this.#toDiagnostic(problem, places.range(range))];
    });
  }
}
