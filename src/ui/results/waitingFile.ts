import * as l10n from '@vscode/l10n';
import { documentLanguage, languageOfDocument } from '../../core/content/documentNames';
import type { StoredFile } from '../../host/results/resultStore';
import { quoted } from '../format/sentences';

/** The placeholder file for a resource that was not read since its tab was restored. */
export function toWaitingFile(name: string, serverLabel: string, uri: string): StoredFile {
  const lines = [
    l10n.t('Not read again since the window was opened.'),
    '',
    l10n.t('Server: {0}', quoted(serverLabel)),
    l10n.t('Resource: {0}', quoted(uri)),
    '',
    l10n.t('It is read when the server runs.'),
    l10n.t(
      'To start the server, select “Start Server” above, or “Server Not Running” in the status bar.',
    ),
  ];
  // Valid JSON in a JSON document, so that the editor reports no errors.
  const text =
    languageOfDocument(name) === documentLanguage('json')
      ? JSON.stringify(lines, undefined, 2)
      : lines.join('\n');
  const bytes = Buffer.from(`${text}\n`);
  return { name, size: bytes.length, read: () => bytes };
}
