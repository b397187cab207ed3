import * as vscode from 'vscode';
import { toSchemaGuide } from '../../core/schema/schemaGuide';
import type { JsonObject } from '../../core/json/jsonValue';
import { argumentSlots, schemaScheme } from '../../ids';

/**
 * Provides the schemas with which VS Code's JSON language service helps in argument documents. VS
 * Code connects schemas and documents only by patterns in the manifest, so there is a fixed number
 * of slots. A document takes a slot when it is opened and has it as the first part of its
 * authority.
 */
export class ArgumentSchemas implements vscode.TextDocumentContentProvider, vscode.Disposable {
  /** The schemas of the slots that are in use. */
  readonly #guides = new Map<number, JsonObject | undefined>();
  readonly #sources = new Map<number, JsonObject>();
  #last = 0;

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;

  // It is registered after the event exists, because VS Code reads the event only once, at
  // registration.
  readonly #subscription = vscode.workspace.registerTextDocumentContentProvider(schemaScheme, this);

  /**
   * Returns a free slot, counted from 1, or 0 if all are in use; slot 0 shows nothing. Slots are
   * used in turn, so that a new document does not start with what the language service has cached.
   */
  take(): number {
    for (let count = 0; count < argumentSlots; count += 1) {
      this.#last = (this.#last % argumentSlots) + 1;
      if (this.#guides.has(this.#last)) continue;
      this.#guides.set(this.#last, undefined);
      return this.#last;
    }
    return 0;
  }

  /** Uses `schema` from now on. A schema that is too large is ignored. */
  show(slot: number, schema: JsonObject): void {
    if (slot === 0 || this.#sources.get(slot) === schema) return;
    this.#sources.set(slot, schema);
    this.#guides.set(slot, toSchemaGuide(schema));
    this.#onDidChange.fire(schemaUri(slot));
  }

  free(slot: number): void {
    this.#sources.delete(slot);
    if (this.#guides.delete(slot)) this.#onDidChange.fire(schemaUri(slot));
  }

  provideTextDocumentContent({ path }: vscode.Uri): string {
    const slot = Number(path.slice(path.lastIndexOf('/') + 1));
    return JSON.stringify(this.#guides.get(slot) ?? { allowTrailingCommas: true });
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }
}

function schemaUri(slot: number): vscode.Uri {
  return vscode.Uri.from({ scheme: schemaScheme, authority: 'arguments', path: `/${slot}` });
}
