import * as vscode from 'vscode';

const rowCount = 100;

/**
 * What a letter costs in any extension: a row, rows below it that have what is typed in them, and a
 * picker that tells of each letter. Ends with the picker.
 */
export function showBareTree(viewId: string): void {
  const changed = new vscode.EventEmitter<string | undefined>();
  const root = 'bare';
  let typed = '';
  const view = vscode.window.createTreeView<string>(viewId, {
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getChildren: (row) =>
        row === undefined ? [root] : Array.from({ length: rowCount }, (_, at) => `${at}`),
      getTreeItem: (row) => {
        const { Expanded, None } = vscode.TreeItemCollapsibleState;
        return row === root
          ? new vscode.TreeItem(root, Expanded)
          : new vscode.TreeItem(`tool_${row}${typed}`, None);
      },
    },
  });
  const pick = vscode.window.createQuickPick();
  pick.title = 'Bare';
  pick.ignoreFocusOut = true;
  pick.items = [{ label: 'always here', alwaysShow: true }];
  pick.onDidChangeValue((value) => {
    typed = value;
    pick.title = `Bare ${value}`;
    changed.fire(root);
  });
  pick.onDidHide(() => {
    pick.dispose();
    view.dispose();
  });
  pick.show();
}
