import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openWindows } from '../vscode/window';
import type { Workspace } from './workspace';

/** Everything that the open window has written: settings, storage, logs, and the files of its workspace. */
export function storedFiles({ folder }: Workspace): { file: string; text: string }[] {
  const servers = [...openWindows].map(({ server }) => path.resolve(server.userFolder, '../..'));
  return [...servers, folder].flatMap((place) =>
    readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => ({ file, text: textOf(file) })),
  );
}

/** Locks come and go. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (existsSync(file)) throw error;
    return '';
  }
}
