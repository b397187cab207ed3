import * as vscode from 'vscode';
import { registerCodeLenses } from '../../src/ui/editor/codeLenses';
import { untilEvent } from '../waiting';
import { atEnd } from './replacing';

const scheme = 'lensed';

describe('Code lenses', () => {
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  it('are asked for even if the editor loses the focus as soon as it is shown', async () => {
    const asked = new vscode.EventEmitter<void>();
    const paths: string[] = [];
    const provider = {
      provideCodeLenses: ({ uri }: vscode.TextDocument) => {
        paths.push(uri.path);
        asked.fire();
        return [];
      },
    };
    const content = { provideTextDocumentContent: () => 'text' };
    const registered = vscode.Disposable.from(
      asked,
      vscode.workspace.registerTextDocumentContentProvider(scheme, content),
      registerCodeLenses({ scheme }, provider),
    );
    atEnd(() => registered.dispose());
    for (const path of ['/one', '/two']) {
      await vscode.window.showTextDocument(vscode.Uri.from({ scheme, path }));
      await vscode.commands.executeCommand('workbench.action.focusSideBar');
      await untilEvent(asked.event, () => paths.includes(path));
    }
  });
});
