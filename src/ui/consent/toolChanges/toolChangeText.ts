import * as l10n from '@vscode/l10n';
import { visibleText } from '../../../core/visibleText';
import type { Tool } from '../../../core/types';
import type { ToolField } from '../../../host/consent/facts/callFacts';
import { canonicalJson } from '../../../host/consent/facts/fingerprints';

/** Maximum length of each part of a definition. A longer part is cut and marked. */
const maxPartChars = 200_000;

/**
 * Returns a definition as text that can be read and compared: hidden characters are shown as
 * escapes, schemas are indented JSON with sorted keys. `cut` names the fields that are known only
 * in part.
 */
export function definitionText(tool: Tool, cut: readonly ToolField[] = []): string {
  const { name, title, description, annotations, inputSchema, outputSchema } = tool;
  const part = (heading: string, field: ToolField, body: string): string =>
    [heading, body, ...(cut.includes(field) ? [tooLargeToKeep()] : [])].join('\n');
  return [
    [l10n.t('Name'), shownText(name)].join('\n'),
    part(l10n.t('Title'), 'title', textOrNone(title)),
    part(l10n.t('Description'), 'description', textOrNone(description)),
    part(l10n.t('Annotations'), 'annotations', jsonOrNone(annotations)),
    part(l10n.t('Input schema'), 'inputSchema', jsonOrNone(inputSchema)),
    part(l10n.t('Output schema'), 'outputSchema', jsonOrNone(outputSchema)),
    '',
  ].join('\n\n');
}

function textOrNone(text: string | undefined): string {
  return text === undefined ? l10n.t('(none)') : shownText(text);
}

function jsonOrNone(value: unknown): string {
  return value === undefined ? l10n.t('(none)') : shownText(jsonText(value));
}

function tooLargeToKeep(): string {
  return l10n.t('(The rest was too large to keep, but changes are still detected.)');
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(JSON.parse(canonicalJson(value)), undefined, 2);
  } catch {
    return l10n.t('(nested too deeply to show)');
  }
}

/** Works line by line, so that ordinary lines are fast. A carriage return is shown. */
function shownText(text: string): string {
  const isCut = text.length > maxPartChars;
  const lines = (isCut ? text.slice(0, maxPartChars) : text)
    .split('\n')
    .map((line) => visibleText(line, maxPartChars, { newlines: 'keep' }));
  return [...lines, ...(isCut ? [l10n.t('(The rest is too long to show.)')] : [])].join('\n');
}
