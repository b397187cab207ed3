import * as vscode from 'vscode';
import {
  readArgumentsText,
  type TextPlace,
  type TextProblem,
} from '../../core/arguments/argumentsJson';
import type { SchemaValidator } from '../../core/schema/schema';
import type { JsonObject } from '../../core/types';
import { textProblemSentence, violationSentence } from './argumentProblems';

/** Everything that keeps the document from being sent, at its place. Without a schema only JSON. */
export function findProblems(
  document: vscode.TextDocument,
  schema: JsonObject | undefined,
  validator: Pick<SchemaValidator, 'validate'>,
): readonly vscode.Diagnostic[] {
  const { value, problems, placeOf } = readArgumentsText(document.getText());
  const diagnostics = problems.map((problem) =>
    toDiagnostic(document, problem, textProblemSentence(problem), problem.code),
  );
  if (value === undefined || schema === undefined) return diagnostics;
  // A schema that cannot be used is told in the question before the call.
  const verdict = validator.validate(schema, value);
  const violations = verdict.kind === 'invalid' ? verdict.violations : [];
  return violations.map((violation) =>
    toDiagnostic(document, placeOf(violation), violationSentence(violation), violation.keyword),
  );
}

/** Those that nobody else shows: broken JSON is marked by VS Code itself, unless that is off. */
export function withoutSyntax(problems: readonly vscode.Diagnostic[]): vscode.Diagnostic[] {
  const isMarkedAlready =
    vscode.extensions.getExtension('vscode.json-language-features') !== undefined &&
    vscode.workspace.getConfiguration('json').get('validate.enable') !== false;
  const syntax: TextProblem['code'] = 'syntax';
  return problems.filter(({ code }) => !isMarkedAlready || code !== syntax);
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
