import type { Page } from 'playwright-core';
import { unseenSettings } from '../vscode/server';
import { openWindow, type VscodeWindow, type WindowOptions } from '../vscode/window';
import { makeWorkspace, type AnyServer, type Workspace } from './workspace';

/** A window that opens on a busy machine, and what the suite does in it before its tests. */
const openingMs = 180_000;

const ofPages = { 'editor.stickyScroll.enabled': false };

export interface SuiteWindow {
  readonly page: Page;
  readonly workspace: Workspace;
}

export interface SuiteWindowOptions extends Omit<WindowOptions, 'folder'> {
  /** Files of the workspace: path and text. */
  readonly files?: Readonly<Record<string, string>>;
  /** What stands in `.vscode/mcp.json`. Default: there is no such file. */
  readonly servers?: (workspace: Workspace) => Readonly<Record<string, AnyServer>>;
  /** Opens a workspace file with the folder in it, so that others can be added. */
  readonly hasWorkspaceFile?: boolean;
}

/**
 * One window on a workspace of its own for all tests of the suite: opened before them and handed to
 * `prepare`, closed and removed after them.
 */
export function useWindow(
  { files, servers, hasWorkspaceFile, ...options }: SuiteWindowOptions,
  prepare: (opened: SuiteWindow) => Promise<void> | void,
): void {
  let workspace: Workspace | undefined;
  let window: VscodeWindow | undefined;

  before(async function () {
    this.timeout(openingMs);
    workspace = makeWorkspace(files);
    if (servers !== undefined) workspace.configure(servers(workspace));
    const settings = { ...unseenSettings, ...ofPages, ...options.settings };
    const { folder, file } = workspace;
    if (hasWorkspaceFile === true) workspace.open('garden');
    window = await openWindow({
      ...options,
      settings,
      folder: hasWorkspaceFile === true ? file : folder,
    });
    await prepare({ page: window.page, workspace });
  });
  after(async function () {
    this.timeout(openingMs);
    await window?.close();
    workspace?.remove();
  });
}
