import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { extensionId } from '../../src/ids';
import { assertEach } from '../assertions';

interface Binding {
  readonly key: string;
  readonly command: string;
  readonly when?: string;
}

describe('Keybindings without a context', () => {
  it('do not replace keybindings of VS Code', async () => {
    const manifest: unknown = vscode.extensions.getExtension(extensionId)?.packageJSON;
    const { contributes } = manifest as { contributes: { keybindings: readonly Binding[] } };
    const everywhere = contributes.keybindings
      .filter(({ when }) => when === undefined)
      .map(({ key }) => key);
    assert.deepEqual(everywhere, ['ctrl+k g', 'ctrl+k l']);
    const uri = vscode.Uri.parse('vscode://defaultsettings/keybindings.json');
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    const taken = [...text.matchAll(/"key": "([^"]+)",\s+"command": "(?!toolgate\.)([^"]+)"/g)];
    assert.ok(taken.length > 500, String(taken.length));
    assertEach(
      taken.filter(([, key = '']) => everywhere.includes(key)),
      ([, ...facts]) => facts,
      [],
    );
  });
});
