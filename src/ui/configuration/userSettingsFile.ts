import * as vscode from 'vscode';

/**
 * True if the document contains user settings, including those of a profile or a remote machine.
 */
export function isUserSettings(uri: vscode.Uri): boolean {
  if (!uri.path.endsWith('/settings.json')) return false;
  // In a browser and for profiles the file is elsewhere than on the desktop, but its path ends in
  // the same way.
  const isUsers =
    uri.scheme === 'vscode-userdata' ||
    /\/(?:User(?:\/profiles\/[^/]+)?|Machine)\/settings\.json$/.test(uri.path);
  return isUsers && vscode.workspace.getWorkspaceFolder(uri) === undefined;
}

/**
 * True if it contains the settings of a remote machine, which exclude the user's local settings.
 */
export function isMachineSettings(uri: vscode.Uri): boolean {
  return isUserSettings(uri) && uri.path.endsWith('/Machine/settings.json');
}
