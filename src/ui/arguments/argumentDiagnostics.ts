import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  readArgumentsText,
  type TextPlace,
  type TextProblem,
} from '../../core/arguments/argumentsJson';
import { judgeArguments } from '../../core/arguments/judgeArguments';
import type { SchemaTimeLimits, SchemaValidator } from '../../core/schema/schema';
import type { JsonObject } from '../../core/json/jsonValue';
import { textProblemSentence, violationSentence } from './argumentProblems';

/** Reading this much takes some 20 ms; more would be felt while typing. */
const maxCheckedChars = 50_000;

/** A person waits for a document to open, but not for a letter to appear. */
const limitsToOpen: SchemaTimeLimits = { compileMs: 1_000, validateMs: 40 };
const limitsToType: SchemaTimeLimits = { compileMs: 40, validateMs: 40 };

/** Code of the problem that is none: what is wrong is found when the document is run. */
const postponed = 'postponed';

export interface JudgedDocument {
  /** What would be sent; absent where the text is not the JSON of arguments. */
  readonly value?: JsonObject;
  /** Everything that keeps it from being sent, at its place. */
  readonly problems: readonly vscode.Diagnostic[];
}

/** The document as it is now, read once. Without a schema only the JSON is judged. */
export function judgeDocument(
  document: vscode.TextDocument,
  schema: JsonObject | undefined,
  validator: Pick<SchemaValidator, 'validate'>,
  limits?: SchemaTimeLimits,
): JudgedDocument {
  const { value, problems, placeOf } = readArgumentsText(document.getText());
  const diagnostics = problems.map((problem) =>
    toDiagnostic(document, problem, textProblemSentence(problem), problem.code),
  );
  if (value === undefined) return { problems: diagnostics };
  if (schema === undefined) return { value, problems: diagnostics };
  const { verdict } = judgeArguments(validator, schema, value, limits);
  if (verdict.kind === 'unusable') {
    const isSlow = limits !== undefined && verdict.reason.code === 'tooSlow';
    // Any other schema that cannot be used is told in the question before the call.
    return { value, problems: isSlow ? [postponedDiagnostic(slowSentence())] : [] };
  }
  const violations = verdict.kind === 'invalid' ? verdict.violations : [];
  const found = violations.map((violation) =>
    toDiagnostic(document, placeOf(violation), violationSentence(violation), violation.keyword),
  );
  return { value, problems: found };
}

/**
 * What can be found without holding up the extension host for longer than a person notices; a
 * text that is too large, and a schema that takes too long, say instead that Run will find it.
 */
export function findProblemsSoon(
  document: vscode.TextDocument,
  schema: JsonObject | undefined,
  validator: Pick<SchemaValidator, 'validate'>,
  isOpening: boolean,
): readonly vscode.Diagnostic[] {
  if (isLarge(document)) return [postponedDiagnostic(largeSentence())];
  const limits = isOpening ? limitsToOpen : limitsToType;
  return judgeDocument(document, schema, validator, limits).problems;
}

/** Too large to be looked at whenever typing pauses. */
export function isLarge(document: vscode.TextDocument): boolean {
  const end = document.lineAt(document.lineCount - 1).range.end;
  return document.offsetAt(end) > maxCheckedChars;
}

/** Those that nobody else shows: broken JSON is marked by VS Code itself, unless that is off. */
export function withoutSyntax(problems: readonly vscode.Diagnostic[]): vscode.Diagnostic[] {
  const isMarkedAlready =
    vscode.extensions.getExtension('vscode.json-language-features') !== undefined &&
    vscode.workspace.getConfiguration('json').get('validate.enable') !== false;
  const syntax: TextProblem['code'] = 'syntax';
  return problems.filter(({ code }) => !isMarkedAlready || code !== syntax);
}

function postponedDiagnostic(sentence: string): vscode.Diagnostic {
  const top = new vscode.Range(0, 0, 0, 0);
  const diagnostic = new vscode.Diagnostic(top, sentence, vscode.DiagnosticSeverity.Information);
  diagnostic.source = 'Toolgate';
  diagnostic.code = postponed;
  return diagnostic;
}

function largeSentence(): string {
  return l10n.t(
    'This is too large to validate while you type. The call is validated when you run it.',
  );
}

/** What is said in place of problems that would take too long to find. */
export function slowSentence(): string {
  return l10n.t(
    'The schema takes too long to validate while you type. The call is validated when you run it.',
  );
}

function toDiagnostic(
  document: vscode.TextDocument,
  { offset, length }: TextPlace,
  sentence: string,
  code: string,
): vscode.Diagnostic {
  const start = document.positionAt(offset);
  const end = document.positionAt(offset + length);
  const diagnostic = new vscode.Diagnostic(new vscode.Range(start, end), sentence);
  diagnostic.source = 'Toolgate';
  diagnostic.code = code;
  return diagnostic;
}
