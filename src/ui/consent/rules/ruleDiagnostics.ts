import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ServerRegistry } from '../../../host/connections/registry';
import { parseRules, type RuleBook } from '../../../host/consent/rules/ruleBook';
import {
  findRuleHints,
  findSlowPatterns,
  type KnownServer,
} from '../../../host/consent/rules/ruleHints';
import type { RuleProblem, RuleProblemCode, RuleScope } from '../../../host/consent/rules/rule';
import { readRuleSources } from '../../settings/settings';
import { Debouncer } from '../../editor/debouncer';
import { readRules, type WrittenRules, withWritten } from './ruleDocuments';
import { ruleProblemSentence } from './formatRuleProblem';

/** Typing and starting servers cause many changes in a row. */
const quietMs = 200;
/** Problems about the name of a member rather than its value. */
const aboutKeys: ReadonlySet<RuleProblemCode> = new Set([
  'unknownKey',
  'invalidPointer',
  'noSuchArgument',
]);

/** Shows problems and warnings of rules in open settings documents. */
export class RuleDiagnostics implements vscode.Disposable {
  readonly #registry: Pick<ServerRegistry, 'servers'>;
  readonly #book: Pick<RuleBook, 'slowPatterns'>;
  readonly #collection = vscode.languages.createDiagnosticCollection();
  readonly #subscriptions: vscode.Disposable;
  readonly #quiet = new Debouncer(() => this.#show(), quietMs);

  constructor(
    registry: Pick<ServerRegistry, 'servers' | 'onDidChange'>,
    book: Pick<RuleBook, 'slowPatterns' | 'onDidFindSlow'>,
  ) {
    this.#registry = registry;
    this.#book = book;
    const later = (): void => this.#quiet.start();
    const laterIfRules = (document: vscode.TextDocument): void => {
      if (readRules(document) !== undefined) later();
    };
    this.#subscriptions = vscode.Disposable.from(
      registry.onDidChange(later),
      book.onDidFindSlow(later),
      vscode.workspace.onDidOpenTextDocument(laterIfRules),
      vscode.workspace.onDidChangeTextDocument(({ document }) => laterIfRules(document)),
      vscode.workspace.onDidChangeConfiguration(later),
      vscode.workspace.onDidChangeWorkspaceFolders(later),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#collection.delete(uri)),
    );
    this.#show();
  }

  dispose(): void {
    this.#quiet.dispose();
    this.#subscriptions.dispose();
    this.#collection.dispose();
  }

  #show(): void {
    for (const document of vscode.workspace.textDocuments) {
      const written = readRules(document);
      if (written !== undefined) {
        this.#collection.set(
          document.uri,
          findDiagnostics(written, this.#registry.servers, this.#book),
        );
      }
    }
  }
}

function findDiagnostics(
  written: WrittenRules,
  servers: ServerRegistry['servers'],
  { slowPatterns }: Pick<RuleBook, 'slowPatterns'>,
): vscode.Diagnostic[] {
  if (written.value === undefined) return [];
  // A rule of another scope may make a rule of this one ineffective.
  const { rules, problems } = parseRules(withWritten(readRuleSources(), written));
  const hints = findRuleHints(rules, servers.map(toKnown));
  return [...problems, ...findSlowPatterns(rules, slowPatterns), ...hints]
    .filter(({ scope }) => isSameScope(scope, written.scope))
    .map((problem) => toDiagnostic(problem, written));
}

function toKnown({ config, state, tools }: ServerRegistry['servers'][number]): KnownServer {
  if (state.kind !== 'running') return { id: config.id };
  return { id: config.id, tools: tools.map(({ tool, risk: { level } }) => ({ tool, level })) };
}

function isSameScope(one: RuleScope, other: RuleScope): boolean {
  return one.scope === other.scope && one.folder === other.folder;
}

function toDiagnostic(problem: RuleProblem, written: WrittenRules): vscode.Diagnostic {
  const { code, severity, path } = problem;
  const diagnostic = new vscode.Diagnostic(
    written.rangeOf(path, aboutKeys.has(code)),
    ruleProblemSentence(problem),
    severity === 'hint'
      ? vscode.DiagnosticSeverity.Information
      : code === 'allowIgnored'
        ? vscode.DiagnosticSeverity.Warning
        : vscode.DiagnosticSeverity.Error,
  );
  diagnostic.source = l10n.t('Toolgate');
  diagnostic.code = code;
  return diagnostic;
}
