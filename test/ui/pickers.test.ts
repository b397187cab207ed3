import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { openInTab } from '../../src/ui/editor/resultTabs';
import { answerOf, createPicker } from '../../src/ui/editor/picker';
import { accept, close } from './pressingKeys';
import { until } from '../waiting';

describe('Enter in a picker that is closed right after, as by a click elsewhere', () => {
  /** Both keys, before the window has said what became of the first. */
  async function answered(pick: vscode.QuickPick<vscode.QuickPickItem>) {
    const answer = answerOf(pick, { accept: () => pick.activeItems[0]?.label });
    for (const key of [accept, close]) void vscode.commands.executeCommand(key);
    return answer;
  }

  it('takes the row', async () => {
    const pick = createPicker({ items: [{ label: 'rose' }] });
    assert.equal(await answered(pick), 'rose');
  });

  it('takes no row that has only just come', async () => {
    const pick = createPicker({ items: [{ label: 'rose' }] });
    pick.onDidAccept(() => (pick.items = [{ label: 'oak' }]));
    assert.equal(await answered(pick), undefined);
  });
});

describe('A picker', () => {
  it('keeps the focus when an answer opens behind it', async () => {
    const pick = createPicker({ items: [{ label: 'rose' }] });
    const answer = answerOf(pick, { accept: () => pick.activeItems[0]?.label });
    await until(() => pick.activeItems.length === 1);
    const { uri } = await vscode.workspace.openTextDocument({ content: 'an answer' });
    await openInTab(uri, undefined);
    await until(() => vscode.window.activeTextEditor?.document.uri.toString() === uri.toString());
    await vscode.commands.executeCommand(accept);
    assert.equal(await answer, 'rose');
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });
});
