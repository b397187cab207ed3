import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';

/**
 * The HTML document of a page. A nonce allows its own style and script, and nothing else.
 * `cspSource` is left out: when VS Code runs in a browser, it covers everything that the VS Code
 * server can read.
 */
export async function pageHtml(extensionUri: vscode.Uri, nonce: string): Promise<string> {
  const [style, script] = await Promise.all([
    readFile(vscode.Uri.joinPath(extensionUri, 'dist/page.css').fsPath, 'utf8'),
    readFile(vscode.Uri.joinPath(extensionUri, 'dist/page.js').fsPath, 'utf8'),
  ]);
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'img-src blob:',
    'media-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return [
    '<!DOCTYPE html>',
    `<html lang="${vscode.env.language}"><head><meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1.0">',
    `<style nonce="${nonce}">${style}</style></head>`,
    `<body><main id="page"></main><script nonce="${nonce}">${script}</script></body></html>`,
  ].join('\n');
}
