import * as l10n from '@vscode/l10n';
import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { openRegularFile } from '../../core/bounds/regularFile';
import { viewerOf } from '../../core/content/documentNames';
import { classifyLink, type LinkRefusal, type LinkTarget } from '../../core/content/linkTarget';
import { sniffedBytes, sniffMediaType } from '../../core/content/mediaTypes';
import { assertNever } from '../../core/errors';
import type { UrlRefusal } from '../../core/input/elicitationUrl';
import { visibleText } from '../../core/visibleText';
import { urlWarningSentence } from '../format/sentencesOfHttp';
import { notify, openAddress } from '../editor/messages';
import { openInAllowedEditor } from '../editor/allowedEditors';
import { quoted } from '../format/sentences';

/** Shows `detail` and asks. Resolves to `true` only if the user selects the button. */
export type AskToOpen = (message: string, detail: string, button: string) => Promise<boolean>;

const maxPathChars = 4_000;

/** Returns true if the link may be read from its server; otherwise shows the reason. */
export function mayRead(uri: string): boolean {
  const target = classifyLink(uri);
  if (target.kind !== 'refused') return true;
  const sentence = l10n.t('“{0}” was not opened. {1}', quoted(uri), refused(target.reason));
  notify('warning', sentence);
  return false;
}

/**
 * Opens the target of a link outside of its server, after showing all of it and asking. Refuses,
 * with the reason, links that cannot be opened safely.
 */
export async function openOutside(uri: string, ask: AskToOpen): Promise<void> {
  const target = classifyLink(uri);
  switch (target.kind) {
    case 'web':
      return openInBrowser(target, ask);
    case 'file':
      return openLocalFile(target.path, ask);
    case 'refused':
    case 'server':
      // Such links have no action to open them outside.
      return undefined;
    default:
      return assertNever(target);
  }
}

async function openInBrowser(
  { assessment, isPlain }: Extract<LinkTarget, { kind: 'web' }>,
  ask: AskToOpen,
): Promise<void> {
  const { address, host, unicodeHost, refusal, warnings } = assessment;
  if (refusal !== undefined) {
    notify('warning', addressRefused(refusal));
    return;
  }
  // The host is on its own line, because it is easily missed behind look-alike letters and long
  // paths.
  const detail = [
    l10n.t('Host: {0}', unicodeHost === undefined ? host : `${host} (${unicodeHost})`),
    l10n.t('URL: {0}', address),
    ...(isPlain ? [l10n.t('Warning: the connection is not encrypted.')] : []),
    ...warnings.map(urlWarningSentence),
  ].join('\n');
  const question = l10n.t('Open this URL from the server in your browser?');
  if (await ask(question, detail, l10n.t('Open in Browser'))) await openAddress(address);
}

async function openLocalFile(path: string, ask: AskToOpen): Promise<void> {
  // A symbolic link within a folder may lead out of it.
  const real = await realpath(path).catch(() => path);
  const isInside = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(real)) !== undefined;
  const detail = [
    l10n.t('Path: {0}', visibleText(path, maxPathChars)),
    ...(real === path ? [] : [l10n.t('Target: {0}', visibleText(real, maxPathChars))]),
    isInside
      ? l10n.t('The file is in a folder that is open in this window.')
      : l10n.t('Warning: the file is outside the folders that are open in this window.'),
    l10n.t('This is the file on this machine, which may differ from the file of the server.'),
  ].join('\n');
  const question = l10n.t('Open this local file from the server?');
  if (!(await ask(question, detail, l10n.t('Open File')))) return;
  try {
    const viewer = viewerOf(sniffMediaType(await headOf(real)));
    await openInAllowedEditor(vscode.Uri.file(path), viewer);
  } catch {
    notify('error', l10n.t('“{0}” could not be opened on this machine.', quoted(path)));
  }
}

/** A server may have written the file, so its type is also determined by its bytes. */
async function headOf(path: string): Promise<Uint8Array> {
  const { handle } = await openRegularFile(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(sniffedBytes), 0, sniffedBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function refused(reason: LinkRefusal): string {
  return {
    runs: l10n.t('Such links run programs, which servers must not do.'),
    editor: l10n.t('Such links control an editor or the system, which servers must not do.'),
    inline: l10n.t(
      'Such links contain their own content, and only content from the server is shown.',
    ),
  }[reason];
}

function addressRefused(refusal: UrlRefusal): string {
  return {
    userInfo: l10n.t(
      'The URL was not opened: it has a user name before the host, which is often deceptive.',
    ),
    tooLong: l10n.t('The URL was not opened: it is too long to review.'),
    scheme: l10n.t('The URL was not opened: only http and https are supported.'),
  }[refusal];
}
