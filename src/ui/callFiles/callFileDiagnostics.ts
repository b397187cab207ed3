import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { checkArguments } from '../../core/arguments/checkArguments';
import { startProcessorClock } from '../../core/bounds/processorClock';
import { isToolCall, type FileCall } from '../../core/callFiles/callFile';
import { stringsIn, parseTemplate } from '../../core/callFiles/callFileVariables';
import type { SchemaTimeLimits, SchemaValidator } from '../../core/schema/schema';
import type { SchemaViolation } from '../../core/types';
import type { ServerRegistry } from '../../host/connections/registry';
import { violationSentence } from '../arguments/argumentProblems';
import { slowSentence, withoutSyntax } from '../arguments/argumentDiagnostics';
import { OpenDocumentProblems } from '../editor/openDocumentProblems';
import { problemAt, rangeOf } from '../editor/textPlaces';
import { quoted } from '../format/sentences';
import { callsSelector, holdsCalls, isRunbook, readDocument } from './callFileDocuments';
import type { CallFileRuns } from './callFileRuns';
import { failureSentence, problemSentence } from './formatCallFileProblem';
import { startCommand } from '../format/startCommand';

interface CallFileDiagnosticsOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'onDidChange'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
  readonly runs: CallFileRuns;
}

/** Shows problems of open call files: calls that cannot be run, and failed expectations. */
export function showCallFileProblems(options: CallFileDiagnosticsOptions): vscode.Disposable {
  return vscode.Disposable.from(
    new OpenDocumentProblems({
      isOurs: holdsCalls,
      find: (document) => {
        const found = findDiagnostics(document, options);
        // VS Code reports JSON syntax errors in call files, but not in Markdown.
        return isRunbook(document) ? found : withoutSyntax(found);
      },
      also: [options.registry.onDidChange, options.runs.onDidChange],
      quietMs: 200,
    }),
    vscode.languages.registerCodeActionsProvider(
      callsSelector,
      { provideCodeActions: startActions },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );
}

const notRunning = 'serverNotRunning';

/** Returns quick fixes that start the servers whose calls cannot be validated. */
function startActions(
  document: vscode.TextDocument,
  _range: vscode.Range,
  { diagnostics }: vscode.CodeActionContext,
): vscode.CodeAction[] {
  return diagnostics
    .filter(({ code }) => code === notRunning)
    .flatMap((diagnostic) => {
      const id = serverAt(document, diagnostic.range);
      if (id === undefined) return [];
      const start = startCommand(id, l10n.t('Start Server “{0}”', quoted(id)));
      const action = new vscode.CodeAction(start.title, vscode.CodeActionKind.QuickFix);
      action.command = start;
      action.diagnostics = [diagnostic];
      action.isPreferred = true;
      return [action];
    });
}

function serverAt(document: vscode.TextDocument, range: vscode.Range): string | undefined {
  const { file, placeOf } = readDocument(document);
  return file?.calls.find(({ pointer }) =>
    rangeOf(document, placeOf(`${pointer}/server`)).isEqual(range),
  )?.server;
}

/** Returns all diagnostics of the current version of a call file. */
export function findDiagnostics(
  document: vscode.TextDocument,
  options: Omit<CallFileDiagnosticsOptions, 'registry'> & {
    readonly registry: Pick<ServerRegistry, 'find'>;
  },
): vscode.Diagnostic[] {
  const { file, problems } = readDocument(document);
  const time = new CheckTime();
  return [
    ...problems.map((problem) =>
      problemAt(rangeOf(document, problem), problemSentence(problem), problem.code),
    ),
    ...(file?.calls ?? []).flatMap((call) => [
      ...callDiagnostics(document, call, options, time),
      ...runDiagnostics(document, call, options.runs),
    ]),
  ];
}

function callDiagnostics(
  document: vscode.TextDocument,
  call: FileCall,
  {
    registry,
    validator,
  }: Omit<CallFileDiagnosticsOptions, 'registry'> & {
    readonly registry: Pick<ServerRegistry, 'find'>;
  },
  time: CheckTime,
): vscode.Diagnostic[] {
  const { placeOf } = readDocument(document);
  const at = (pointer: string, keyword?: string): vscode.Range =>
    rangeOf(document, placeOf(call.pointer + pointer, keyword));
  const server = registry.find(call.server);
  if (server === undefined) {
    const sentence = l10n.t('Server “{0}” does not exist.', quoted(call.server));
    return [problemAt(at('/server'), sentence, 'unknownServer')];
  }
  if (server.state.kind !== 'running') {
    const sentence = l10n.t(
      'The call cannot be validated because server “{0}” is not running.',
      quoted(server.config.label),
    );
    const severity = vscode.DiagnosticSeverity.Information;
    return [problemAt(at('/server'), sentence, notRunning, severity)];
  }
  if (!isToolCall(call)) return [];
  const { name } = call.target;
  const named = server.tools.filter(({ tool }) => tool.name === name);
  const entry = named.find(({ tool }) => tool.callable);
  if (entry === undefined) {
    const [tool, label] = [quoted(name), quoted(server.config.label)];
    const sentence =
      named.length > 0
        ? l10n.t('“{0}” cannot be called because its definition is not valid.', tool)
        : l10n.t('Server “{0}” has no tool “{1}”.', label, tool);
    return [problemAt(at('/tool'), sentence, 'unknownTool')];
  }
  if (call.isSentAsIs === true) return [];
  const verdict = time.spend(
    (limits) =>
      checkArguments(validator, entry.tool.inputSchema, call.arguments ?? {}, limits).verdict,
  );
  if (verdict === undefined || (verdict.kind === 'unusable' && verdict.reason.code === 'tooSlow')) {
    const severity = vscode.DiagnosticSeverity.Information;
    return [problemAt(at('/tool'), slowSentence(), 'postponed', severity)];
  }
  if (verdict.kind !== 'invalid') return [];
  return violationsOf(call, verdict.violations).map((violation) =>
    problemAt(
      at(call.arguments === undefined ? '' : `/arguments${violation.pointer}`, violation.keyword),
      violationSentence(violation),
      violation.keyword,
    ),
  );
}

/**
 * Time limit in milliseconds for checking all calls of a file after a typing pause; compiled
 * schemas take almost none.
 */
const maxCheckMs = 300;
const maxCallMs = 50;

class CheckTime {
  #leftMs = maxCheckMs;

  /** Runs `check` within the remaining time; returns `undefined` if no time is left. */
  spend<T>(check: (limits: SchemaTimeLimits) => T): T | undefined {
    const ms = Math.ceil(Math.min(maxCallMs, this.#leftMs));
    if (ms < 1) return undefined;
    const usedMs = startProcessorClock();
    const found = check({ compileMs: ms, validateMs: ms });
    this.#leftMs -= usedMs();
    return found;
  }
}

/** Keywords whose result depends on nested values. */
const aboutInside = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'const', 'enum', 'contains'];

/**
 * Excludes violations that concern a value with variables, which is known only when the call runs.
 */
function violationsOf(
  call: FileCall,
  violations: readonly SchemaViolation[],
): readonly SchemaViolation[] {
  const open = [...stringsIn(call.arguments ?? {})]
    .filter(([, text]) => parseTemplate(text).pieces.some((piece) => typeof piece === 'object'))
    .map(([pointer]) => pointer);
  return violations.filter(({ pointer, keyword }) =>
    open.every((filled) => {
      if (pointer === filled) return false;
      return !(aboutInside.includes(keyword) && filled.startsWith(`${pointer}/`));
    }),
  );
}

function runDiagnostics(
  document: vscode.TextDocument,
  call: FileCall,
  runs: CallFileRuns,
): vscode.Diagnostic[] {
  const state = runs.stateOf(document.uri, call);
  const { placeOf } = readDocument(document);
  if (state?.kind === 'unsent') {
    const range = rangeOf(document, placeOf(`${call.pointer}${state.pointer}`));
    return [problemAt(range, state.message, 'unsent')];
  }
  if (state?.kind !== 'unmet') return [];
  return state.failures.map((failure) => {
    const place = placeOf(`${call.pointer}/expect${failure.pointer}`);
    return problemAt(rangeOf(document, place), failureSentence(failure), failure.code);
  });
}
