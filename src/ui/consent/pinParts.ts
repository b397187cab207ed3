import * as vscode from 'vscode';
import type { ServerRegistry } from '../../host/connections/registry';
import type { LockFiles } from '../../host/consent/lockFiles';
import type { Pins } from '../../host/consent/pins';
import { registerLockFileCommands } from './lockFileCommands';
import { LockFileProblems } from './lockFileProblems';
import { LockFileWatcher } from './lockFileWatcher';
import { registerToolChangeCommands } from './toolChangeCommands';
import { registerToolChangeDecorations } from './toolChangeDecorations';
import { ToolChangeDocuments } from './toolChangeDocuments';

export interface PinPartsOptions {
  readonly registry: ServerRegistry;
  readonly pins: Pins;
  readonly lockFiles: LockFiles;
}

/** What a person sees of pins and lock files, and does about them. */
export class PinParts implements vscode.Disposable {
  readonly #subscriptions: vscode.Disposable;

  constructor({ registry, pins, lockFiles }: PinPartsOptions) {
    const { fingerprints } = pins;
    const documents = new ToolChangeDocuments();
    this.#subscriptions = vscode.Disposable.from(
      documents,
      registerToolChangeDecorations(),
      // What was accepted in another window is nothing to look at in this one any more.
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) void pins.refresh();
      }),
      new LockFileProblems({ registry, locks: lockFiles, fingerprints }),
      new LockFileWatcher(lockFiles),
      registerToolChangeCommands({ registry, pins, documents }),
      registerLockFileCommands({ registry, pins, fingerprints }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}
