import * as vscode from 'vscode';
import type { ServerRegistry } from '../host/connections/registry';
import type { LockFiles } from '../host/consent/pins/lockFiles';
import type { Pins } from '../host/consent/pins/pins';
import { registerLockFileCommands } from '../ui/consent/toolChanges/lockFileCommands';
import { LockFileProblems } from '../ui/consent/toolChanges/lockFileProblems';
import { LockFileWatcher } from '../ui/consent/toolChanges/lockFileWatcher';
import { registerToolChangeCommands } from '../ui/consent/toolChanges/toolChangeCommands';
import { registerToolChangeDecorations } from '../ui/consent/toolChanges/toolChangeDecorations';
import { ToolChangeDocuments } from '../ui/consent/toolChanges/toolChangeDocuments';

export interface PinPartsOptions {
  readonly registry: ServerRegistry;
  readonly pins: Pins;
  readonly lockFiles: LockFiles;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
}

/** What a person sees of pins and lock files, and does about them. */
export class PinParts {
  readonly #options: PinPartsOptions;

  constructor(options: PinPartsOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    const { registry, pins, lockFiles, redact } = this.#options;
    const { fingerprints } = pins;
    const documents = new ToolChangeDocuments();
    return vscode.Disposable.from(
      documents,
      registerToolChangeDecorations(),
      // What was accepted in another window is nothing to look at in this one any more.
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) void pins.refresh();
      }),
      new LockFileProblems({ registry, locks: lockFiles, fingerprints, redact }),
      new LockFileWatcher(lockFiles),
      registerToolChangeCommands({ registry, pins, documents }),
      registerLockFileCommands({ registry, pins, fingerprints, redact }),
    );
  }
}
