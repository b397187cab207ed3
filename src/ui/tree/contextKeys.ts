import { commands, type Disposable, workspace } from 'vscode';
import type { ServerRegistry } from '../../host/connections/registry';
import { contextKeys } from '../../ids';
import { isIdle } from '../format/formatServerState';
import type { ToolFilterState } from './toolFilterState';
import { Emitter } from 'vscode-jsonrpc/node';
import type { RunningCalls } from '../../host/calls/runningCalls';

type Key = (typeof contextKeys)[keyof typeof contextKeys];

/** Writes the context keys of `when` clauses, each only when its value changes. */
export class ContextKeys implements Disposable {
  readonly #registry: Pick<ServerRegistry, 'servers' | 'onDidChange'>;
  readonly #filter: ToolFilterState;
  readonly #walkthrough: WalkthroughProgress | undefined;
  readonly #write: (key: Key, value: boolean) => void;
  readonly #written = new Map<Key, boolean>();
  readonly #subscriptions: readonly { dispose(): void }[];

  constructor(
    registry: Pick<ServerRegistry, 'servers' | 'onDidChange'>,
    filter: ToolFilterState,
    write: (key: Key, value: boolean) => void = (key, value) => {
      void commands.executeCommand('setContext', key, value);
    },
    walkthrough?: WalkthroughProgress,
  ) {
    this.#registry = registry;
    this.#filter = filter;
    this.#walkthrough = walkthrough;
    this.#write = write;
    const update = (): void => {
      this.#update();
    };
    this.#subscriptions = [
      registry.onDidChange(update),
      filter.onDidChange(update),
      ...(walkthrough === undefined ? [] : [walkthrough.onDidReach(update)]),
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
    this.#set(contextKeys.hasLookedAtTool, this.#walkthrough?.hasLookedAtTool === true);
    this.#set(contextKeys.hasCalled, this.#walkthrough?.hasCalled === true);
  }

  #set(key: Key, value: boolean): void {
    if (this.#written.get(key) === value) return;
    this.#written.set(key, value);
    this.#write(key, value);
  }
}

/** The steps of the walkthrough that the user has completed in this window. */
export class WalkthroughProgress {
  #hasLookedAtTool = false;
  #hasCalled = false;
  readonly #subscription: { dispose(): void };

  readonly #onDidReach = new Emitter<void>();
  readonly onDidReach = this.#onDidReach.event;

  constructor(calls: Pick<RunningCalls, 'onDidEnd'>) {
    this.#subscription = calls.onDidEnd(({ outcome }) => {
      if (this.#hasCalled || (outcome !== 'result' && outcome !== 'toolError')) return;
      this.#hasCalled = true;
      this.#onDidReach.fire();
    });
  }

  /** True after the tooltip of a tool was shown or its row was selected. */
  get hasLookedAtTool(): boolean {
    return this.#hasLookedAtTool;
  }

  /** True after a tool has answered. */
  get hasCalled(): boolean {
    return this.#hasCalled;
  }

  toolViewed(): void {
    if (this.#hasLookedAtTool) return;
    this.#hasLookedAtTool = true;
    this.#onDidReach.fire();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#onDidReach.dispose();
  }
}
