import type * as vscode from 'vscode';
import type { ServerRegistry } from '../host/connections/registry';
import { ResourceLists } from '../host/resources/resourceLists';
import type { Results } from '../ui/results/results';
import { LiveDocuments } from '../ui/resources/liveDocuments';
import { registerResourceCommands } from '../ui/resources/resourceCommands';

export interface ResourcePartsOptions {
  readonly registry: ServerRegistry;
  readonly results: Pick<Results, 'resources'>;
}

/** What is there of resources beside their rows: the lists, the commands, documents that follow. */
export class ResourceParts implements vscode.Disposable {
  readonly lists: ResourceLists;
  readonly #disposables: readonly vscode.Disposable[];

  constructor({ registry, results: { resources } }: ResourcePartsOptions) {
    this.lists = new ResourceLists(registry);
    this.#disposables = [
      this.lists,
      new LiveDocuments({ registry, resources }),
      registerResourceCommands({ registry, resources, lists: this.lists }),
    ];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}
