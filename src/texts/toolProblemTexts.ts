import * as l10n from '@vscode/l10n';
import { assertNever } from '../core/errors';
import type { ToolProblem } from '../core/types';

/** Why a tool is odd or cannot be called; `quoted` bounds what comes from the server and makes it fit for where it is shown. */
export function formatToolProblem(
  problem: ToolProblem,
  quoted: (text: string | undefined) => string,
): string {
  const detail = quoted(problem.detail);
  switch (problem.code) {
    case 'notAnObject':
      return l10n.t('The server lists something that is no tool definition; it cannot be called.');
    case 'nameMissing':
      return l10n.t('The definition has no name, so the tool cannot be called.');
    case 'nameUnusual':
      return l10n.t(
        'The name is not valid (1 to 128 letters, digits, “_”, “-”, “.”). It is sent as it is.',
      );
    case 'nameDuplicate':
      return l10n.t('The server lists this name more than once; only the first one can be called.');
    case 'inputSchemaMissing':
      return l10n.t('The definition has no inputSchema, so the tool cannot be called.');
    case 'inputSchemaNotObject':
      return l10n.t('The inputSchema does not describe an object, so the tool cannot be called.');
    case 'schemaTooDeep':
      return l10n.t(
        'The {0} is nested too deeply and is left out. Without an inputSchema a tool cannot be called.',
        detail,
      );
    case 'outputSchemaNotObject':
      return l10n.t('The outputSchema is no schema; results are not checked.');
    case 'annotationIgnored':
      return l10n.t(
        'The annotation “{0}” is unknown or of the wrong type, and is ignored.',
        detail,
      );
    case 'headerAnnotation':
      return l10n.t(
        'Cannot be called: an “x-mcp-header” in the inputSchema is not valid. Details: “{0}”',
        detail,
      );
    case 'hiddenCharacters':
      return l10n.t(
        'The {0} has hidden characters, shown as escapes such as “{1}”. They can hide text from you.',
        detail,
        String.raw`\u{202E}`,
      );
    case 'fieldIgnored':
      return l10n.t('The field “{0}” is of the wrong type and is ignored.', detail);
    default:
      return assertNever(problem.code);
  }
}
