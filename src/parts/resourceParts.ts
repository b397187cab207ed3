import * as vscode from 'vscode';
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
export class ResourceParts {
  readonly lists: ResourceLists;
  readonly #options: ResourcePartsOptions;

  constructor(options: ResourcePartsOptions) {
    this.#options = options;
    this.lists = new ResourceLists(options.registry);
  }

  register(): vscode.Disposable {
    const { registry, results } = this.#options;
    const { resources } = results;
    return vscode.Disposable.from(
      this.lists,
      new LiveDocuments({ registry, resources }),
      registerResourceCommands({ registry, resources, lists: this.lists }),
    );
  }
}
