import { type StatsListener, unwatchFile, watchFile } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';

/**
 * How long a change may go unnoticed where the editor does not tell of it: on some network drives,
 * when the system has no more watches to give, and while a server of VS Code's own `mcp.json` has
 * `dev.watch`, because VS Code then watches what that names in place of the whole folder.
 */
const askingMs = 2_000;

/** Tells of every change of these files, also of those that come and go. */
export function watchFiles(files: readonly string[], onChange: () => void): vscode.Disposable {
  // Entries name files as they like; of such a name there is none, and Node refuses to look.
  const possible = files.filter((file) => !file.includes('\0'));
  return vscode.Disposable.from(...possible.map((file) => watchOne(file, onChange)));
}

function watchOne(file: string, onChange: () => void): vscode.Disposable {
  const listener: StatsListener = (now, before) => {
    // Of a file that is not there Node tells once although nothing has changed.
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size || now.ino !== before.ino) {
      onChange();
    }
  };
  const ask = () => watchFile(file, { interval: askingMs, persistent: false }, listener);
  const askNoMore = () => unwatchFile(file, listener);
  ask();
  const inEditor = watchInEditor(file, () => {
    // Begins with what is there now: else a file of which the editor told only that it came, and
    // which goes before the next question, would never have been there.
    askNoMore();
    ask();
    onChange();
  });
  return vscode.Disposable.from(...inEditor, { dispose: askNoMore });
}

function watchInEditor(file: string, onChange: () => void): readonly vscode.Disposable[] {
  const directory = vscode.Uri.file(path.dirname(file));
  const patterns = [new vscode.RelativePattern(directory, literalGlob(path.basename(file)))];
  const folder = vscode.workspace.getWorkspaceFolder(directory);
  if (folder !== undefined && folder.uri.fsPath !== directory.fsPath) {
    // Deleting or renaming a directory of the workspace is told of the directory alone.
    const [top = ''] = path.relative(folder.uri.fsPath, directory.fsPath).split(path.sep);
    patterns.push(new vscode.RelativePattern(folder, literalGlob(top)));
  }
  return patterns.map((pattern) => watchPattern(pattern, onChange));
}

/** Tells of every change that the editor tells of. */
export function watchPattern(
  pattern: vscode.RelativePattern,
  onChange: () => void,
): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  watcher.onDidCreate(onChange);
  watcher.onDidChange(onChange);
  watcher.onDidDelete(onChange);
  return watcher;
}

function literalGlob(name: string): string {
  return name.replaceAll(/[[\]{}*?]/g, '[$&]');
}
