import * as vscode from 'vscode';
import { internalCommands } from '../../ids';
import { isWebAddress } from './resultBrowser';
import type { KeptResult, ResultKeeper } from './resultKeeper';
import type { OverviewPlace } from './resultOverview';
import { quoted } from '../words/sentences';

/** What the commands behind links and lenses are given: a place in a kept result, never a URI. */
export interface PartReference {
  readonly overview: string;
  readonly number: number;
}

/**
 * Links and actions in overviews. Files open in the editor; a resource link runs a command that
 * reads it from its server, whatever its scheme says.
 */
export class ResultLinks
  implements vscode.DocumentLinkProvider, vscode.CodeLensProvider, vscode.Disposable
{
  readonly #keeper: ResultKeeper;
  readonly #subscription: vscode.Disposable;

  readonly #onDidChangeCodeLenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#onDidChangeCodeLenses.event;

  constructor(keeper: ResultKeeper) {
    this.#keeper = keeper;
    this.#subscription = keeper.onDidChange(() => this.#onDidChangeCodeLenses.fire());
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const kept = this.#overviewOf(document);
    if (kept === undefined) return [];
    return kept.overview.places.map((place) => {
      const range = new vscode.Range(place.line, place.start, place.line, place.end);
      const link = new vscode.DocumentLink(range, this.#target(kept, place));
      link.tooltip =
        place.part.kind === 'link' ? readWords(kept) : vscode.l10n.t('Open “{0}”', place.part.name);
      return link;
    });
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const kept = this.#overviewOf(document);
    if (kept === undefined) return [];
    const headings = kept.overview.places.filter(({ isHeading }) => isHeading);
    return headings.flatMap((place) => {
      const range = new vscode.Range(place.line, 0, place.line, 0);
      return lensCommands(kept, place).map((command) => new vscode.CodeLens(range, command));
    });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChangeCodeLenses.dispose();
  }

  #overviewOf({ uri }: vscode.TextDocument): KeptResult | undefined {
    const kept = this.#keeper.find(uri);
    return kept?.overviewUri.path === uri.path ? kept : undefined;
  }

  #target(kept: KeptResult, { part }: OverviewPlace): vscode.Uri {
    if (part.kind !== 'link') return this.#keeper.partUri(kept, part);
    const argument = encodeURIComponent(JSON.stringify([referenceTo(kept, part.number)]));
    return vscode.Uri.parse(`command:${internalCommands.readLink}?${argument}`);
  }
}

function referenceTo({ overviewUri }: KeptResult, number: number): PartReference {
  return { overview: overviewUri.toString(), number };
}

function lensCommands(kept: KeptResult, { part }: OverviewPlace): vscode.Command[] {
  const argument = [referenceTo(kept, part.number)];
  if (part.kind !== 'link') {
    const title = vscode.l10n.t('Open');
    return [{ title, command: internalCommands.openPart, arguments: argument }];
  }
  const read = {
    title: readWords(kept),
    command: internalCommands.readLink,
    arguments: argument,
  };
  const open = {
    title: vscode.l10n.t('Open in Browser…'),
    command: internalCommands.openLinkInBrowser,
    arguments: argument,
  };
  return isWebAddress(part.uri) ? [read, open] : [read];
}

function readWords({ facts }: KeptResult): string {
  return vscode.l10n.t('Read from server “{0}”', quoted(facts.serverLabel));
}
