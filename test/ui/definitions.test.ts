import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands } from '../../src/ids';
import { isOwnArgument } from '../../src/ui/editor/ownArguments';
import { DefinitionDocuments } from '../../src/ui/definitions/definitionCommand';

describe('The definition of a tool', () => {
  it('has a lens on its first line that calls the tool', async () => {
    const documents = new DefinitionDocuments();
    try {
      await documents.show('shop', 'sell', 'Sell it\n=======\n', false);
      const { document } = vscode.window.activeTextEditor ?? assert.fail();
      assert.equal(document.lineAt(0).text, 'Sell it');
      const [lens, ...more] = documents.provideCodeLenses(document);
      assert.deepEqual([more, lens?.range.start.line], [[], 0]);
      assert.equal(lens?.command?.title, '$(play)\u00A0Call Tool');
      assert.equal(lens.command.command, commands.callTool);
      const [tool]: readonly unknown[] = lens.command.arguments ?? [];
      assert.deepEqual(tool, { serverId: 'shop', toolName: 'sell' });
      assert.ok(isOwnArgument(tool));
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    } finally {
      documents.dispose();
    }
  });
});
