import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { blockJson } from '../../core/content/wireResult';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import type { ResultTarget } from './resultTargets';
import { formatSize } from '../format/formatFile';

/** A clipboard with more content slows down every program that reads it. */
const maxCopiedBytes = 16 * 1024 * 1024;

interface CopyItem extends vscode.QuickPickItem {
  readonly text: () => Promise<string | undefined>;
}

/** Asks for the format, and copies one file of a result. */
export async function copyResult(target: ResultTarget, saveAs: string): Promise<void> {
  const { file, part, uri } = target;
  if (file.size > maxCopiedBytes) {
    notify(
      'warning',
      l10n.t(
        '“{0}” is {1}, too large for the clipboard. Save it instead.',
        quoted(file.name),
        formatSize(file.size),
      ),
      { title: l10n.t('Save As…'), command: saveAs, arguments: [uri] },
    );
    return;
  }
  const placeHolder = l10n.t('Copy “{0}” as', quoted(file.name));
  const picked = await vscode.window.showQuickPick(itemsOf(target), { placeHolder });
  const text = await picked?.text();
  if (text === undefined) return;
  await vscode.env.clipboard.writeText(text);
  const isText = part === undefined || part.excerpt !== undefined;
  const sentence = isText ? l10n.t('Characters copied: {0}.', text.length) : l10n.t('Copied.');
  vscode.window.setStatusBarMessage(sentence, 3_000);
}

function itemsOf({ file, part, uri }: ResultTarget): CopyItem[] {
  const isText = part === undefined || part.excerpt !== undefined;
  const text = async () => Buffer.from(await file.read()).toString('utf8');
  const json = async () => part && blockJson(part, await file.read());
  return [
    ...(isText ? [{ label: l10n.t('Text'), text }] : []),
    ...(part === undefined
      ? []
      : [
          {
            label: l10n.t('JSON'),
            description: l10n.t('content as in MCP'),
            text: json,
          },
        ]),
    {
      label: l10n.t('URI'),
      description: l10n.t('opens the result again in this window'),
      text: async () => uri.toString(),
    },
    ...(part?.uri === undefined
      ? []
      : [
          {
            label: l10n.t('URI of the Resource'),
            description: quoted(part.uri),
            text: async () => part.uri,
          },
        ]),
  ];
}
