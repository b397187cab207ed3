import * as vscode from 'vscode';
import { argumentsScheme } from '../../ids';
import { foreignTextSchemes } from '../editor/foreignTextSchemes';
import { DocumentGuard } from './documentGuard';
import type { AskToOpen } from './linkOpening';
import { registerMarkdown } from './markdownDocuments';
import type { ResultCommands } from './resultLinks';
import { TextLinks, type RelativeLinks } from './textLinkProvider';

/**
 * Registers the protections for every document with server text, whichever feature shows it: its
 * editors, languages, links, and safe Markdown. Register it before providers with links of their
 * own, which then replace these.
 *
 * @param ownScheme defaults to every scheme of the extension
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
    // Argument documents start with values that a server proposes.
    new TextLinks(openTextLink, [...schemes, ...writable], relative).register(ask),
    registerMarkdown(schemes, showPreview),
  );
}
