import * as vscode from 'vscode';
import type { ServerRegistry } from '../../../host/connections/registry';
import { parseRules, type RuleBook } from '../../../host/consent/rules/ruleBook';
import {
  findRuleHints,
  findSlowPatterns,
  type KnownServer,
} from '../../../host/consent/rules/ruleHints';
import type { RuleProblem, RuleProblemCode, RuleScope } from '../../../host/consent/rules/rule';
import { problemAt } from '../../editor/textPlaces';
import { readRuleSources } from '../../settings/settings';
import { OpenDocumentProblems } from '../../editor/openDocumentProblems';
import { isRuleDocument, readRules, type WrittenRules, withWritten } from './ruleDocuments';
import { ruleProblemSentence } from './formatRuleProblem';

/** Problems about the name of a member rather than its value. */
const aboutKeys: ReadonlySet<RuleProblemCode> = new Set([
  'unknownKey',
  'invalidPointer',
  'noSuchArgument',
]);

/** Shows problems and warnings of rules in open settings documents. */
export function showRuleProblems(
  registry: Pick<ServerRegistry, 'servers' | 'onDidChange'>,
  book: Pick<RuleBook, 'slowPatterns' | 'onDidFindSlow'>,
): vscode.Disposable {
  return new OpenDocumentProblems({
    isOurs: isRuleDocument,
    find: (document) => findDiagnostics(readRules(document), registry.servers, book),
    also: [
      registry.onDidChange,
      book.onDidFindSlow,
      vscode.workspace.onDidChangeConfiguration,
      vscode.workspace.onDidChangeWorkspaceFolders,
    ],
    quietMs: 200,
  });
}

function findDiagnostics(
  written: WrittenRules | undefined,
  servers: ServerRegistry['servers'],
  { slowPatterns }: Pick<RuleBook, 'slowPatterns'>,
): vscode.Diagnostic[] {
  if (written?.value === undefined) return [];
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
  return problemAt(
    written.rangeOf(path, aboutKeys.has(code)),
    ruleProblemSentence(problem),
    code,
    severity === 'hint'
      ? vscode.DiagnosticSeverity.Information
      : code === 'allowIgnored'
        ? vscode.DiagnosticSeverity.Warning
        : vscode.DiagnosticSeverity.Error,
  );
}
