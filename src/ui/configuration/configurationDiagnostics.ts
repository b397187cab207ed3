import * as vscode from 'vscode';
import type { ConfigProblem } from '../../host/configuration/serverConfig';
import { settings } from '../../ids';
import { configProblemSentence } from '../words/sentencesOfProblems';

/** Shows what is wrong in configuration files where it stands: in the editor and in Problems. */
export class ConfigurationDiagnostics implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection(settings.section);

  /** Replaces all that was shown; `texts` are those in which the places were found. */
  show(problems: readonly ConfigProblem[], texts: ReadonlyMap<string, string>): void {
    const byFile = new Map<string, vscode.Diagnostic[]>();
    for (const problem of problems) {
      if (problem.source.kind !== 'workspaceFile') continue;
      const { path } = problem.source;
      const diagnostics = byFile.get(path) ?? [];
      diagnostics.push(toDiagnostic(problem, texts.get(path) ?? ''));
      byFile.set(path, diagnostics);
    }
    this.#collection.clear();
    for (const [path, diagnostics] of byFile) {
      this.#collection.set(vscode.Uri.file(path), diagnostics);
    }
  }

  dispose(): void {
    this.#collection.dispose();
  }
}

function toDiagnostic(problem: ConfigProblem, text: string): vscode.Diagnostic {
  const { offset = 0, length = 0 } = problem;
  const diagnostic = new vscode.Diagnostic(
    new vscode.Range(positionAt(text, offset), positionAt(text, offset + length)),
    configProblemSentence(problem),
    problem.fatal ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning,
  );
  diagnostic.source = vscode.l10n.t('Toolgate');
  diagnostic.code = problem.code;
  return diagnostic;
}

/** No document need be open for it. */
function positionAt(text: string, offset: number): vscode.Position {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return new vscode.Position(before.length - 1, before.at(-1)?.length ?? 0);
}
