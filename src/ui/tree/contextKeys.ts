import { commands, type Disposable, workspace } from 'vscode';
import type { ServerRegistry } from '../../host/connections/registry';
import { contextKeys } from '../../ids';
import { isIdle } from '../format/formatServerState';
import type { WalkthroughProgress } from './walkthroughProgress';
import type { ToolFilterState } from './toolFilterState';

type Key = (typeof contextKeys)[keyof typeof contextKeys];

/** Writes the keys of `when` clauses, each only when its value is another than before. */
export class ContextKeys implements Disposable {
  readonly #registry: Pick<ServerRegistry, 'servers' | 'onDidChange'>;
  readonly #filter: ToolFilterState;
  readonly #milestones: WalkthroughProgress | undefined;
  readonly #write: (key: Key, value: boolean) => void;
  readonly #written = new Map<Key, boolean>();
  readonly #subscriptions: readonly { dispose(): void }[];

  constructor(
    registry: Pick<ServerRegistry, 'servers' | 'onDidChange'>,
    filter: ToolFilterState,
    write: (key: Key, value: boolean) => void = (key, value) => {
      void commands.executeCommand('setContext', key, value);
    },
    milestones?: WalkthroughProgress,
  ) {
    this.#registry = registry;
    this.#filter = filter;
    this.#milestones = milestones;
    this.#write = write;
    const update = (): void => {
      this.#update();
    };
    this.#subscriptions = [
      registry.onDidChange(update),
      filter.onDidChange(update),
      ...(milestones === undefined ? [] : [milestones.onDidReach(update)]),
      workspace.onDidGrantWorkspaceTrust(update),
    ];
    update();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #update(): void {
    this.#set(contextKeys.hasServers, this.#registry.servers.length > 0);
    this.#set(contextKeys.isFiltered, this.#filter.isFiltering);
    this.#set(contextKeys.isRestricted, !workspace.isTrusted);
    this.#set(contextKeys.canStart, workspace.isTrusted && this.#registry.servers.some(isIdle));
    this.#set(contextKeys.hasLookedAtTool, this.#milestones?.hasLookedAtTool === true);
    this.#set(contextKeys.hasCalled, this.#milestones?.hasCalled === true);
  }

  #set(key: Key, value: boolean): void {
    if (this.#written.get(key) === value) return;
    this.#written.set(key, value);
    this.#write(key, value);
  }
}
