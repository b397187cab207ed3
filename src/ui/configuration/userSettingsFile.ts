import * as vscode from 'vscode';

/** Whether it holds user settings: those of a profile and of a remote machine are such too. */
export function isUserSettings(uri: vscode.Uri): boolean {
  if (!uri.path.endsWith('/settings.json')) return false;
  // In a browser and for profiles they are not where a desktop has them, but end alike.
  const isUsers =
    uri.scheme === 'vscode-userdata' ||
    /\/(?:User(?:\/profiles\/[^/]+)?|Machine)\/settings\.json$/.test(uri.path);
  return isUsers && vscode.workspace.getWorkspaceFolder(uri) === undefined;
}

/** Whether it holds the settings of a remote machine, which those of the person go without. */
export function isMachineSettings(uri: vscode.Uri): boolean {
  return isUserSettings(uri) && uri.path.endsWith('/Machine/settings.json');
}
