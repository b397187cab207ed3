import * as l10n from '@vscode/l10n';
import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { isViewable } from '../../core/content/contentParts';
import { commandLink } from '../editor/ownArguments';
import { lensesAt, resultCallLenses } from './overviewLenses';
import type { StoredResult, ResultDocuments } from './resultDocuments';
import { outsideTitle, type OverviewPlace } from './resultOverview';
import { quoted } from '../format/sentences';

/** Ids of the commands behind links and lenses. */
export interface ResultCommands {
  readonly openPart: string;
  readonly openPartBeside: string;
  readonly showOverview: string;
  readonly readLink: string;
  readonly openLinkOutside: string;
  readonly openTextLink: string;
  readonly showPreview: string;
  readonly showJson: string;
  readonly showTable: string;
}

/** Argument of the commands behind links and lenses: a place in a kept result, never a URI. */
interface PartReference {
  readonly overview: string;
  readonly number: number;
  /** Key of this window, so that a link from elsewhere cannot name a part. */
  readonly key: string;
}

const windowKey = randomUUID();

/** Returns true if `reference` comes from a link or lens of this extension. */
export function isPartReference(reference: unknown): reference is PartReference {
  if (typeof reference !== 'object' || reference === null) return false;
  const { overview, number, key }: Partial<Record<keyof PartReference, unknown>> = reference;
  return typeof overview === 'string' && typeof number === 'number' && key === windowKey;
}

/**
 * Links in overviews. Files open in the editor that fits them. A resource link runs a command that
 * reads it from its server, whatever its scheme.
 */
export class ResultLinks implements vscode.DocumentLinkProvider {
  readonly #documents: ResultDocuments;
  readonly #commands: ResultCommands;

  constructor(documents: ResultDocuments, commands: ResultCommands) {
    this.#documents = documents;
    this.#commands = commands;
  }

  provideDocumentLinks({ uri }: vscode.TextDocument): vscode.DocumentLink[] {
    const kept = this.#documents.ofOverview(uri);
    if (kept === undefined) return [];
    return kept.overview.places.map((place) => {
      const range = new vscode.Range(place.line, place.start, place.line, place.end);
      const link = new vscode.DocumentLink(range, this.#target(kept, place));
      link.tooltip =
        place.part.kind === 'link' ? formatReadTime(kept) : l10n.t('Open “{0}”', place.part.name);
      return link;
    });
  }

  #target(kept: StoredResult, { part }: OverviewPlace): vscode.Uri {
    const command = part.kind === 'link' ? this.#commands.readLink : this.#commands.openPart;
    return vscode.Uri.parse(commandLink(command, referenceTo(kept, part.number)));
  }
}

/** Actions on the call of a result, and on each part: open it, or follow it. */
export function resultLenses(kept: StoredResult, commands: ResultCommands): vscode.CodeLens[] {
  const headings = kept.overview.places.filter(({ isHeading }) => isHeading);
  return [
    ...resultCallLenses(kept),
    ...headings.flatMap((place) => lensesAt(place.line, lensCommands(commands, kept, place))),
  ];
}

function referenceTo({ overviewUri }: StoredResult, number: number): PartReference {
  return { overview: overviewUri.toString(), number, key: windowKey };
}

function lensCommands(
  commands: ResultCommands,
  kept: StoredResult,
  { part }: OverviewPlace,
): vscode.Command[] {
  const argument = [referenceTo(kept, part.number)];
  if (part.kind !== 'link') {
    if (!isViewable(part)) return [];
    const open = { title: l10n.t('Open'), command: commands.openPart };
    const beside = { title: l10n.t('Open to the Side'), command: commands.openPartBeside };
    const opening = [open, beside].map((command) => ({ ...command, arguments: argument }));
    if (part.isMain !== true || kept.tableUri === undefined) return opening;
    const title = l10n.t('Show as Table');
    return [...opening, { title, command: commands.showTable, arguments: [kept.tableUri] }];
  }
  const read = {
    title: formatReadTime(kept),
    command: commands.readLink,
    arguments: argument,
  };
  const title = outsideTitle(part.uri);
  const open = { command: commands.openLinkOutside, arguments: argument };
  return title === undefined ? [read] : [read, { ...open, title }];
}

function formatReadTime({ facts }: StoredResult): string {
  return l10n.t('Read from server “{0}”', quoted(facts.serverLabel));
}
