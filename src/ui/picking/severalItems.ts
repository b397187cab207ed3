import * as vscode from 'vscode';
import { untilRowsShow } from './untilRowsShow';

/**
 * The rows that stay checked, of which those with `picked` are so from the beginning; `undefined`
 * when it is closed. Enter takes what is checked also when it is pressed before the rows are there:
 * VS Code's own picker would take it for a wish to have none of them.
 */
export async function severalItems<Item extends vscode.QuickPickItem>(
  items: readonly Item[],
  { title, placeholder }: { readonly title: string; readonly placeholder: string },
): Promise<readonly Item[] | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = title;
  pick.placeholder = placeholder;
  pick.canSelectMany = true;
  pick.ignoreFocusOut = true;
  pick.items = items;
  pick.selectedItems = items.filter(({ picked }) => picked === true);
  try {
    return await new Promise((resolve) => {
      pick.onDidAccept(async () => {
        await untilRowsShow();
        resolve(pick.selectedItems);
      });
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}
