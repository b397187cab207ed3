import * as l10n from '@vscode/l10n';
import { assertNever } from '../../core/errors';
import type { ResourceFacts } from '../../core/types';
import { annotationSentences, formatSize } from '../format/formatFile';
import type { ResourceNoteRow, ResourceRow, TemplateRow } from './treeRows';
import { errorSentence } from '../format/sentences';
import type { ResourceLook } from './resourceItems';
import { resourceProblemSentence } from '../resources/formatResource';

/** What stands in a tooltip, as plain text: still to be made safe to show. */
export interface TooltipText {
  readonly title: string;
  readonly text: string;
  readonly lines: readonly string[];
}

export function resourceTooltip(
  row: ResourceRow | TemplateRow | ResourceNoteRow,
  { rows, labelOf }: ResourceLook,
): TooltipText {
  switch (row.kind) {
    case 'resource': {
      const resource = rows.resource(row);
      const { size } = resource ?? {};
      const sizes = size === undefined ? [] : [l10n.t('Size: {0}', formatSize(size))];
      return toText(resource, [l10n.t('URI: {0}', row.uri)], sizes);
    }
    case 'template':
      return toText(rows.template(row), [l10n.t('Template: {0}', row.uriTemplate)], []);
    case 'resourceNote':
      return { title: '', text: noteSentence(row, labelOf(row.serverId)), lines: [] };
    default:
      return assertNever(row);
  }
}

function toText(
  facts: ResourceFacts | undefined,
  address: readonly string[],
  sizes: readonly string[],
): TooltipText {
  const { title, name = '', description = '', mimeType } = facts ?? {};
  return {
    title: title ?? name,
    text: description,
    lines: [
      ...(title === undefined || title === name ? [] : [l10n.t('Name: {0}', name)]),
      ...address,
      ...(mimeType === undefined ? [] : [l10n.t('Type: {0}', mimeType)]),
      ...sizes,
      ...annotationSentences(facts?.annotations),
    ],
  };
}

function noteSentence({ note }: ResourceNoteRow, server: string): string {
  switch (note.kind) {
    case 'failed':
      return errorSentence(server, note.error);
    case 'problem':
      return resourceProblemSentence(server, note.problem);
    case 'none':
      return l10n.t('Press Enter to ask again.');
    case 'listing':
    case 'noMatch':
      return '';
    default:
      return assertNever(note);
  }
}
