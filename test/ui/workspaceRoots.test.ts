import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { InputHandler } from '../../src/core/input/inputHandler';
import { settings as ids } from '../../src/ids';
import { SettingsReader } from '../../src/ui/settings/settings';
import { askTarget } from '../../src/ui/adding/targets';
import { withWorkspaceRoots } from '../../src/ui/editor/localFolders';
import { close, pressingKey, watchMade } from './pressingKeys';
import { atEnd } from './replacing';

const none = new vscode.CancellationTokenSource().token;
const handler: InputHandler = { elicit: () => Promise.resolve({ action: 'cancel' }) };

async function share(value: true | undefined): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(ids.section);
  const target = vscode.ConfigurationTarget.Global;
  await configuration.update(ids.shareWorkspaceFolders, value, target);
}

describe('The folders of the workspace', () => {
  afterEach(() => share(undefined));

  it('are sent to no server unless the user allows it', () => {
    const settings = new SettingsReader({ warn: () => undefined });
    const withRoots = withWorkspaceRoots(handler, settings);
    settings.dispose();
    assert.equal('roots' in withRoots, false);
  });

  it('are sent as file URIs with their names if the user allows it', async () => {
    await share(true);
    const settings = new SettingsReader({ warn: () => undefined });
    const roots = await withWorkspaceRoots(handler, settings).roots?.(none);
    settings.dispose();
    const folders = vscode.workspace.workspaceFolders ?? [];
    assert.ok(folders.length > 0);
    assert.deepEqual(
      roots,
      folders.map(({ uri, name }) => ({ uri: uri.toString(), name })),
    );
    assert.match(roots?.[0]?.uri ?? '', /^file:\/\/\//);
  });

  it('differ in the list of files for an entry, also if they have the same name', async () => {
    const folders = ['/old/app', '/new/app'].map((path, index) => ({
      uri: vscode.Uri.file(path),
      name: 'app',
      index,
    }));
    const own = Object.getOwnPropertyDescriptor(vscode.workspace, 'workspaceFolders');
    atEnd(() => Object.defineProperty(vscode.workspace, 'workspaceFolders', own ?? {}));
    Object.defineProperty(vscode.workspace, 'workspaceFolders', { ...own, get: () => folders });
    const descriptions: (string | undefined)[] = [];
    watchMade({ pick: (pick) => pick.onDidHide(() => descriptions.push(...descriptionsOf(pick))) });
    const descriptionsOf = ({ items }: vscode.QuickPick<vscode.QuickPickItem>) =>
      items.map(({ description }) => description);
    await pressingKey(close, askTarget([], false, undefined));
    assert.deepEqual(
      [...new Set(descriptions)],
      ['In the folder app (old/app)', 'In the folder app (new/app)'],
    );
  });
});
