import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { readArgumentsText, type TextProblem } from '../../core/arguments/argumentsJson';
import { findArgumentHints } from '../../core/arguments/argumentHints';
import { checkArguments } from '../../core/arguments/checkArguments';
import type { SchemaTimeLimits, SchemaValidator } from '../../core/schema/schema';
import type { JsonObject } from '../../core/json/jsonValue';
import { formatTextProblem } from '../../texts/jsonTextProblems';
import { problemAt, rangeOf } from '../editor/textPlaces';
import { quoted } from '../format/sentences';
import { hintSentence, violationSentence } from './argumentProblems';

/** Longer texts are not checked while the user types. Reading this much takes about 20 ms. */
const maxCheckedChars = 50_000;

/** The user waits for a document to open, but not for a letter to appear. */
const limitsToOpen: SchemaTimeLimits = { compileMs: 1_000, validateMs: 40 };
const limitsToType: SchemaTimeLimits = { compileMs: 40, validateMs: 40 };

/** Diagnostic code for a check that is postponed until the document is run. */
const postponed = 'postponed';

interface CheckedDocument {
  /** The arguments to send. Absent if the text is not a JSON object. */
  readonly value?: JsonObject;
  /** All problems that prevent sending, with their ranges. */
  readonly problems: readonly vscode.Diagnostic[];
  /** Probable mistakes, which prevent nothing. */
  readonly hints: readonly vscode.Diagnostic[];
}

/**
 * Parses the document and checks it against the schema. Without a schema it checks only the JSON.
 */
export function checkDocument(
  document: vscode.TextDocument,
  schema: JsonObject | undefined,
  validator: Pick<SchemaValidator, 'validate'>,
  limits?: SchemaTimeLimits,
): CheckedDocument {
  const { value, problems, placeOf } = readArgumentsText(document.getText());
  const diagnostics = problems.map((problem) =>
    problemAt(rangeOf(document, problem), formatTextProblem(problem, quoted), problem.code),
  );
  if (value === undefined) return { problems: diagnostics, hints: [] };
  if (schema === undefined) return { value, problems: diagnostics, hints: [] };
  const { verdict } = checkArguments(validator, schema, value, limits);
  if (verdict.kind === 'unusable') {
    const isSlow = limits !== undefined && verdict.reason.code === 'tooSlow';
    // Other problems with a schema are shown in the question before the call.
    return { value, problems: isSlow ? [postponedDiagnostic(slowSentence())] : [], hints: [] };
  }
  const violations = verdict.kind === 'invalid' ? verdict.violations : [];
  const found = violations.map((violation) =>
    problemAt(
      rangeOf(document, placeOf(violation)),
      violationSentence(violation),
      violation.keyword,
    ),
  );
  const hints = findArgumentHints(schema, value).map((hint) => {
    const keyword = hint.kind === 'name' ? 'additionalProperties' : hint.kind;
    const range = rangeOf(document, placeOf({ pointer: hint.pointer, keyword, message: '' }));
    return problemAt(range, hintSentence(hint), hint.kind, vscode.DiagnosticSeverity.Warning);
  });
  return { value, problems: found, hints };
}

/**
 * Finds the problems that can be found without a noticeable stall of the extension host. If the
 * text is too large or the schema too slow, it says instead that Run will check.
 */
export function findProblemsSoon(
  document: vscode.TextDocument,
  schema: JsonObject | undefined,
  validator: Pick<SchemaValidator, 'validate'>,
  isOpening: boolean,
): readonly vscode.Diagnostic[] {
  if (isLarge(document)) return [postponedDiagnostic(largeSentence())];
  const limits = isOpening ? limitsToOpen : limitsToType;
  const { problems, hints } = checkDocument(document, schema, validator, limits);
  return [...problems, ...hints];
}

/** True if the document is too large to be checked after each pause. */
export function isLarge(document: vscode.TextDocument): boolean {
  const end = document.lineAt(document.lineCount - 1).range.end;
  return document.offsetAt(end) > maxCheckedChars;
}

/** Leaves out syntax errors if VS Code's own JSON validation shows them. */
export function withoutSyntax(problems: readonly vscode.Diagnostic[]): vscode.Diagnostic[] {
  const isMarkedAlready =
    vscode.extensions.getExtension('vscode.json-language-features') !== undefined &&
    vscode.workspace.getConfiguration('json').get('validate.enable') !== false;
  const syntax: TextProblem['code'] = 'syntax';
  return problems.filter(({ code }) => !isMarkedAlready || code !== syntax);
}

function postponedDiagnostic(sentence: string): vscode.Diagnostic {
  const top = new vscode.Range(0, 0, 0, 0);
  return problemAt(top, sentence, postponed, vscode.DiagnosticSeverity.Information);
}

function largeSentence(): string {
  return l10n.t(
    'This is too large to validate while you type. The call is validated when you run it.',
  );
}

/** Replaces problems that would take too long to find. */
export function slowSentence(): string {
  return l10n.t(
    'The schema takes too long to validate while you type. The call is validated when you run it.',
  );
}
