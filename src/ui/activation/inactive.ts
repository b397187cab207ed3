import type * as vscode from 'vscode';
import type { ToolgateApi } from '../../api';
import type { ReadSource } from '../configuration/readSources';
import type { TestWish } from './activationStubs';

/** What the extension is while nothing of it is used. */
export interface Inactive {
  /** Stands in the places that everything else wants. */
  readonly stubs: vscode.Disposable;
  /** A `vscode://` address of the extension was opened. */
  readonly onDidOpenLink: vscode.Event<vscode.Uri>;
  /** Tests are wanted that were wanted of a stand-in. */
  readonly onDidWishTests: vscode.Event<TestWish>;
  /** Read before anything else is there: who comes then finds the servers. Absent: it takes long. */
  readonly configured: readonly ReadSource[] | undefined;
}

/** What it is when something of it is used. */
export interface Active {
  readonly api: ToolgateApi;
  /** Ends what runs; resolves when it is gone. */
  readonly stop: () => Promise<void>;
}
