import * as vscode from 'vscode';
import { argumentsScheme } from '../../ids';
import { foreignTextSchemes } from '../editor/foreignTextSchemes';
import { DocumentGuard } from './documentGuard';
import type { AskToOpen } from './linkOpening';
import { registerMarkdown } from './markdownDocuments';
import type { ResultCommands } from './resultLinks';
import { TextLinks, type RelativeLinks } from './textLinkProvider';

/**
 * What holds for every document with text of a server, whichever feature shows it: its editors, its
 * languages, its links, and what is left of Markdown. To be registered before what has links of its
 * own, which then stand in the place of these.
 *
 * @param ownScheme absent: every scheme of the extension
 */
export function registerForeignDocuments(
  ownScheme: string | undefined,
  { openTextLink, showPreview }: ResultCommands,
  ask: AskToOpen,
  relative: RelativeLinks,
): vscode.Disposable {
  const schemes = ownScheme === undefined ? foreignTextSchemes : [ownScheme];
  const writable = ownScheme === undefined ? [argumentsScheme] : [];
  return vscode.Disposable.from(
    new DocumentGuard(schemes),
    // Arguments begin with what a server proposes.
    new TextLinks(openTextLink, [...schemes, ...writable], relative).register(ask),
    registerMarkdown(schemes, showPreview),
  );
}
