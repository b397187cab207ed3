import * as l10n from '@vscode/l10n';
import type { ToolProblem } from '../core/types';

/**
 * Returns why a tool is unusual or cannot be called; `quoted` limits text from the server and makes
 * it safe to display.
 */
export function formatToolProblem(
  problem: ToolProblem,
  quoted: (text: string | undefined) => string,
): string {
  const detail = quoted(problem.detail);
  return {
    notAnObject: l10n.t(
      'The server lists an entry that is not a tool definition. It cannot be called.',
    ),
    nameMissing: l10n.t('The tool cannot be called because it has no name.'),
    nameUnusual: l10n.t(
      'The name is not valid (1 to 128 letters, digits, “_”, “-”, “.”). It is sent unchanged.',
    ),
    nameDuplicate: l10n.t(
      'The server lists this name more than once. Only the first one can be called.',
    ),
    inputSchemaMissing: l10n.t('The tool cannot be called because it has no inputSchema.'),
    inputSchemaNotObject: l10n.t(
      'The tool cannot be called because its inputSchema does not describe an object.',
    ),
    schemaTooDeep: l10n.t(
      'The {0} is nested too deeply and is ignored. A tool needs an inputSchema to be called.',
      detail,
    ),
    outputSchemaNotObject: l10n.t(
      'The outputSchema is not a valid schema, so results are not validated.',
    ),
    annotationIgnored: l10n.t(
      'The annotation “{0}” is ignored: it is unknown or has the wrong type.',
      detail,
    ),
    headerAnnotation: l10n.t(
      'Cannot be called: an “x-mcp-header” in the inputSchema is not valid. Details: “{0}”',
      detail,
    ),
    hiddenCharacters: l10n.t(
      'The {0} has hidden characters, shown as escapes such as “{1}”. They can hide text from you.',
      detail,
      String.raw`\u{202E}`,
    ),
    fieldIgnored: l10n.t('The field “{0}” is ignored because it has the wrong type.', detail),
  }[problem.code];
}
