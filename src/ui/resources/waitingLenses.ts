import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Liveness, OpenResource } from '../../host/resources/liveResources';
import { scheme } from '../../ids';
import { codeLens } from '../editor/codeLens';
import type { ResourceDocuments } from '../results/resourceDocuments';
import { quoted } from '../format/sentences';
import { readAgainCommand } from './formatLiveness';
import { startCommand } from '../format/startCommand';

export interface WaitingLensesOptions {
  readonly resources: Pick<ResourceDocuments, 'of'>;
  readonly stateOf: (resource: OpenResource) => Liveness;
  readonly labelOf: (serverId: string) => string;
}

/** Shows what to do above a document that was restored with the window and not read since. */
export class WaitingLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #options: WaitingLensesOptions;
  readonly #registration: vscode.Disposable;

  readonly #onDidChangeCodeLenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#onDidChangeCodeLenses.event;

  constructor(options: WaitingLensesOptions) {
    this.#options = options;
    const documents = { scheme, pattern: '**/resources/**' };
    this.#registration = vscode.languages.registerCodeLensProvider(documents, this);
  }

  /** Call it when something about the documents has changed. */
  refresh(): void {
    this.#onDidChangeCodeLenses.fire();
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const { resources, stateOf, labelOf } = this.#options;
    const document = resources.of(uri);
    if (document === undefined || document.readAt !== undefined) return [];
    const { kind } = stateOf(document);
    const start = l10n.t('Start Server “{0}”', quoted(labelOf(document.serverId)));
    const command =
      kind === 'gone' ? startCommand(document.serverId, start) : readAgainCommand(uri);
    return [codeLens(new vscode.Range(0, 0, 0, 0), command)];
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChangeCodeLenses.dispose();
  }
}
