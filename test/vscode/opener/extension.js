const vscode = require('vscode');

const shown = 'shown';

/** What `npm start` opens on, the first time: the view, and calls to press Run above. */
exports.activate = async ({ workspaceState }) => {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined || workspaceState.get(shown) === true) return;
  await workspaceState.update(shown, true);
  await vscode.commands.executeCommand('toolgate.servers.focus');
  const calls = vscode.Uri.joinPath(folder.uri, 'garden.mcpcall');
  await vscode.window.showTextDocument(calls, { preview: false });
};
