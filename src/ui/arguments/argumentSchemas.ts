import * as vscode from 'vscode';
import { toSchemaGuide } from '../../core/schema/schemaGuide';
import type { JsonObject } from '../../core/json/jsonValue';
import { argumentSlots, schemaScheme } from '../../ids';

/**
 * The schemas by which VS Code's own JSON language service helps in argument documents. It joins
 * schemas and documents by patterns in the manifest only, so there is a fixed number of slots; a
 * document takes one when it is opened and has it as the first part of its authority. It is told that a
 * schema is another one as of any document that changes.
 */
export class ArgumentSchemas implements vscode.TextDocumentContentProvider, vscode.Disposable {
  /** What is in the slots that are taken. */
  readonly #guides = new Map<number, JsonObject | undefined>();
  readonly #sources = new Map<number, JsonObject>();
  #last = 0;

  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;

  // After the event, which VS Code takes once, when the provider is registered.
  readonly #subscription = vscode.workspace.registerTextDocumentContentProvider(schemaScheme, this);

  /**
   * A free slot, from 1; 0 when all are taken, and whatever is shown there does nothing. In turn, so
   * that what the language service still knows of a slot is not what a new document begins with.
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

  /** Helps with `schema` from now on; one that is too large for it helps with nothing. */
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
