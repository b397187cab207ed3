import * as vscode from 'vscode';

/** As VS Code has it at run time; its types leave the text out. */
interface Opener {
  openExternal(target: vscode.Uri | string): Thenable<boolean>;
}

/**
 * Opens the address in the system's browser, exactly as it is; whether that was done. VS Code may
 * ask once more whether the host is trusted, and a no there is a no here.
 */
export async function openAddress(address: string): Promise<boolean> {
  // A `Uri` forgets which characters were escaped: `?next=a%26b` would become another address.
  const opener: Opener = vscode.env;
  return opener.openExternal(address);
}
