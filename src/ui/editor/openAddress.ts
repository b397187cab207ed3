import * as vscode from 'vscode';

/** The signature at run time; VS Code's types do not accept a string. */
interface Opener {
  openExternal(target: vscode.Uri | string): Thenable<boolean>;
}

/**
 * Opens the URL unchanged in the system's browser and returns whether it was opened. VS Code may
 * ask whether the host is trusted; a no there returns false.
 */
export async function openAddress(address: string): Promise<boolean> {
  // A `Uri` loses which characters were escaped: `?next=a%26b` would become another URL.
  const opener: Opener = vscode.env;
  return opener.openExternal(address);
}
