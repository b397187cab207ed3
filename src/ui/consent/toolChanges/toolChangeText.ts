import * as l10n from '@vscode/l10n';
import { visibleText } from '../../../core/visibleText';
import type { Tool } from '../../../core/types';
import type { ToolField } from '../../../host/consent/facts/callFacts';
import { canonicalJson } from '../../../host/consent/facts/fingerprints';

/** Of each part of a definition; a longer one is cut, and says so. */
const maxPartChars = 200_000;

/**
 * A definition as text that a person can read and a diff can compare: hidden characters show as
 * escapes, schemas are indented JSON with sorted keys. `cut` are the fields of which only a
 * beginning is known.
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

/** Line by line, so that the usual ones cost nothing; a carriage return shows. */
function shownText(text: string): string {
  const isCut = text.length > maxPartChars;
  const lines = (isCut ? text.slice(0, maxPartChars) : text)
    .split('\n')
    .map((line) => visibleText(line, maxPartChars, { newlines: 'keep' }));
  return [...lines, ...(isCut ? [l10n.t('(The rest is too long to show.)')] : [])].join('\n');
}
