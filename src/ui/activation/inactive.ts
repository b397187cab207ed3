import type * as vscode from 'vscode';
import type { ToolgateApi } from '../../api';
import type { ReadSource } from '../configuration/readSources';
import type { TestRequest } from './activationStubs';

/** The extension before it is used. */
export interface Inactive {
  /** Registered stubs in place of the real providers. */
  readonly stubs: vscode.Disposable;
  /** Fires when a `vscode://` link to the extension was opened. */
  readonly onDidOpenLink: vscode.Event<vscode.Uri>;
  /** Fires when the user requests tests from the stub. */
  readonly onDidRequestTests: vscode.Event<TestRequest>;
  /**
   * Configuration that was read in advance, so that the first view already has its servers. Absent
   * if reading took too long.
   */
  readonly configured: readonly ReadSource[] | undefined;
}

/** The extension while it is used. */
export interface Active {
  readonly api: ToolgateApi;
  /** Stops everything. Resolves when it has ended. */
  readonly stop: () => Promise<void>;
}
