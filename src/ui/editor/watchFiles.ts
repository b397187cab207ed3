import { type StatsListener, unwatchFile, watchFile } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';

/**
 * Polling interval for changes that the editor does not report: on some network drives, when the
 * system has no file watches left, and while a server of VS Code's own `mcp.json` has `dev.watch`,
 * because VS Code then watches the named files instead of the whole folder.
 */
const askingMs = 2_000;

/** Reports every change, creation and deletion of these files. */
export function watchFiles(files: readonly string[], onChange: () => void): vscode.Disposable {
  // Entries may contain any name. Node rejects a name with a null character, and no such file can
  // exist.
  const possible = files.filter((file) => !file.includes('\0'));
  return vscode.Disposable.from(...possible.map((file) => watchOne(file, onChange)));
}

function watchOne(file: string, onChange: () => void): vscode.Disposable {
  const listener: StatsListener = (now, before) => {
    // Node reports a missing file once although nothing has changed.
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size || now.ino !== before.ino) {
      onChange();
    }
  };
  const ask = () => watchFile(file, { interval: askingMs, persistent: false }, listener);
  const askNoMore = () => unwatchFile(file, listener);
  ask();
  const inEditor = watchInEditor(file, () => {
    // Starts with the current state. Otherwise a file that is created and deleted between two polls
    // would be missed.
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
    // If a directory of the workspace is deleted or renamed, only the directory is reported.
    const [top = ''] = path.relative(folder.uri.fsPath, directory.fsPath).split(path.sep);
    patterns.push(new vscode.RelativePattern(folder, literalGlob(top)));
  }
  return patterns.map((pattern) => watchPattern(pattern, onChange));
}

/** Reports every change that the editor reports. */
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
