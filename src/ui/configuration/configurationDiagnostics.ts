import * as vscode from 'vscode';
import type { ConfigProblem, ServerConfig } from '../../host/configuration/serverConfig';
import { settings } from '../../ids';
import { problemAt, TextPlaces } from '../editor/textPlaces';
import { ServerEntries } from '../../host/configuration/serverEntries';
import { SettingDiagnostics } from './settingDiagnostics';
import { configProblemSentence } from '../format/sentencesOfProblems';
import type { ServerLogs } from '../servers/serverLogs';

interface ShownProblem {
  readonly problem: ConfigProblem;
  readonly diagnostic: vscode.Diagnostic;
}

/** Shows the problems of configuration files in the editor and in the Problems view. */
export class ConfigurationDiagnostics implements vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection(settings.section);
  readonly #ofSetting = new SettingDiagnostics(toDiagnostic);
  #shown: ReadonlyMap<string, readonly ShownProblem[]> = new Map();

  /** Returns the problems that are shown in a file. */
  of(uri: vscode.Uri): readonly ShownProblem[] {
    return this.#shown.get(uri.fsPath) ?? [];
  }

  /** Replaces all shown problems. `texts` are the texts in which their positions were found. */
  show(problems: readonly ConfigProblem[], texts: ReadonlyMap<string, string>): void {
    const byFile = new Map<string, ShownProblem[]>();
    const places = new Map<string, ProblemPlaces>();
    for (const problem of problems) {
      if (!('path' in problem.source)) continue;
      const { path } = problem.source;
      const own = places.get(path) ?? new ProblemPlaces(texts.get(path) ?? '');
      const shown = byFile.get(path) ?? [];
      shown.push({ problem, diagnostic: toDiagnostic(problem, own.range(problem)) });
      places.set(path, own);
      byFile.set(path, shown);
    }
    this.#collection.clear();
    for (const [path, shown] of byFile) {
      const diagnostics = shown.map(({ diagnostic }) => diagnostic);
      this.#collection.set(vscode.Uri.file(path), diagnostics);
    }
    this.#shown = byFile;
    this.#ofSetting.show(problems);
  }

  dispose(): void {
    this.#ofSetting.dispose();
    this.#collection.dispose();
  }
}

/** Finds the positions of problems in one file, which is parsed once. */
class ProblemPlaces {
  readonly #text: string;
  readonly #places: TextPlaces;
  #entries: ServerEntries | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#places = new TextPlaces(text);
  }

  range(problem: ConfigProblem): vscode.Range {
    // The text is parsed only if the problem has no position of its own.
    const { offset, length = 0 } = problem;
    if (offset !== undefined) return this.#places.range({ offset, length });
    this.#entries ??= new ServerEntries(this.#text);
    return this.#places.range(this.#entries.place(problem) ?? { offset: 0, length: 0 });
  }
}

function toDiagnostic(problem: ConfigProblem, range: vscode.Range): vscode.Diagnostic {
  return problemAt(range, configProblemSentence(problem), problem.code, severityOf(problem));
}

function severityOf({ code, fatal }: ConfigProblem): vscode.DiagnosticSeverity {
  if (fatal) return vscode.DiagnosticSeverity.Error;
  // The entry is correct, but has no effect here.
  if (code === 'programElsewhere' || code === 'signInUnused') return vscode.DiagnosticSeverity.Hint;
  return ['shadowed', 'unknownKey', 'foreignKey', 'ownBridge'].includes(code)
    ? vscode.DiagnosticSeverity.Information
    : vscode.DiagnosticSeverity.Warning;
}

/**
 * Logs the problems of configurations: in the log of their server, or else in the log of the
 * extension. A problem that remains after a reload is not logged again.
 */
export class ConfigurationLog {
  readonly #logs: Pick<ServerLogs, 'of' | 'extension'>;
  #written: ReadonlySet<string> = new Set();

  constructor(logs: Pick<ServerLogs, 'of' | 'extension'>) {
    this.#logs = logs;
  }

  write(problems: readonly ConfigProblem[], servers: readonly ServerConfig[]): void {
    const byId = new Map(servers.map((server) => [server.id, server]));
    const current = new Set<string>();
    for (const problem of problems) {
      const sentence = configProblemSentence(withoutAddress(problem));
      current.add(sentence);
      if (this.#written.has(sentence)) continue;
      const server = byId.get(problem.server ?? '');
      const log = server === undefined ? this.#logs.extension : this.#logs.of(server);
      if (problem.fatal) log.error(sentence);
      else log.warn(sentence);
    }
    this.#written = current;
  }
}

/** A URL may contain a password or a token, and the entry may not say which part is secret. */
function withoutAddress(problem: ConfigProblem): ConfigProblem {
  if (problem.code !== 'invalidUrl') return problem;
  const { detail: _, ...rest } = problem;
  return rest;
}
