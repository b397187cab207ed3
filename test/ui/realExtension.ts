import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ServerSnapshot, ToolgateApi } from '../../src/api';
import { extensionId } from '../../src/ids';
import type { Script } from '../servers/scripted';
import { untilEvent } from '../waiting';

/** The real extension, which runs beside the tests, and the servers of its workspace. */
export class RealExtension {
  api!: ToolgateApi;
  readonly path: string;
  /** Of the workspace. */
  readonly folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail();
  /** Where its servers are configured. */
  readonly file = path.join(this.folder, '.vscode', 'mcp.json');
  readonly #extension =
    vscode.extensions.getExtension<ToolgateApi>(extensionId) ?? assert.fail('no extension');

  constructor() {
    this.path = this.#extension.extensionPath;
  }

  async activate(): Promise<this> {
    this.api = await this.#extension.activate();
    return this;
  }

  /** Entry of a configuration for the server that ships with the extension. */
  demoEntry(env: Readonly<Record<string, string>> = {}) {
    return {
      command: process.execPath,
      args: [path.join(this.path, 'dist', 'demoServer.js')],
      env: { ELECTRON_RUN_AS_NODE: '1', ...env },
    };
  }

  /**
   * Entry of a configuration for a server that does what `script` says, which stands in a file, so that
   * the question before the start fits into a dialog.
   */
  scriptedEntry(script: Script) {
    const text = `export default ${script.toString()}`;
    const name = createHash('sha256').update(text).digest('hex').slice(0, 16);
    const file = path.join(tmpdir(), `toolgate-script-${name}.mjs`);
    // Another VS Code may run the same tests, and one of its servers read the file at this moment.
    if (!existsSync(file)) {
      writeFileSync(`${file}.${process.pid}`, text);
      renameSync(`${file}.${process.pid}`, file);
    }
    return {
      command: process.execPath,
      args: [path.join(this.path, 'test', 'servers', 'scripted.mjs'), file],
      env: { ELECTRON_RUN_AS_NODE: '1' },
    };
  }

  /** `rest` is what else stands in the file. */
  async configure(servers: Readonly<Record<string, object>>, rest: object = {}): Promise<void> {
    await mkdir(path.dirname(this.file), { recursive: true });
    await writeFile(this.file, JSON.stringify({ servers, ...rest }, undefined, 2));
    const ids = Object.keys(servers).join();
    await this.until(() => this.api.servers.map(({ id }) => id).join() === ids);
  }

  /** Closes every editor, and leaves no server configured in the workspace. */
  async clear(): Promise<void> {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(this.file, { force: true });
    await this.until(() => this.api.servers.length === 0);
  }

  server(id: string): ServerSnapshot | undefined {
    return this.api.servers.find((one) => one.id === id);
  }

  /** As `<id> <state>, …`. */
  picture(): string {
    return this.api.servers.map(({ id, state }) => `${id} ${state}`).join(', ');
  }

  /** Resolves when `isSo`, which only changes with an event of the API. */
  async until(isSo: () => boolean): Promise<void> {
    await untilEvent(this.api.onDidChange, isSo, { notify: () => `in ${this.picture()}` });
  }
}
