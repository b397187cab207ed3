import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { chosenVersion, vscodeNumber } from './provision';

const downloadSite = 'https://update.code.visualstudio.com/api/releases/stable';
const reachTimeoutMs = 3000;

function hasDisplay(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform !== 'linux' || Boolean(DISPLAY ?? WAYLAND_DISPLAY);
}

async function isReachable(address: string): Promise<boolean> {
  try {
    return (await fetch(address, { signal: AbortSignal.timeout(reachTimeoutMs) })).ok;
  } catch {
    return false;
  }
}

/** `code` of the search path, for a person's own window; tests want a VS Code of their own. */
export function findInstalledCode(): string | undefined {
  if (!hasDisplay()) return undefined;
  const names = process.platform === 'win32' ? ['code.cmd'] : ['code'];
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders
    .flatMap((folder) => names.map((name) => path.join(folder, name)))
    .find((file) => existsSync(file));
}

/** The newest is whatever is out by now. */
function download(): Promise<string> {
  return downloadAndUnzipVSCode(chosenVersion() === 'oldest' ? vscodeNumber() : 'stable');
}

/**
 * The program of a desktop VS Code, or nothing where it cannot be had. TOOLGATE_TEST_VSCODE=desktop
 * or =server decides, TOOLGATE_VSCODE_EXECUTABLE names one; else one is downloaded where there is a
 * display and the network reaches it.
 */
export async function findDesktop(): Promise<string | undefined> {
  const wish = process.env.TOOLGATE_TEST_VSCODE;
  if (wish !== undefined && wish !== 'desktop' && wish !== 'server') {
    throw new Error(`TOOLGATE_TEST_VSCODE is "${wish}"; it can be "desktop" or "server".`);
  }
  if (wish === 'server') return undefined;
  const named = process.env.TOOLGATE_VSCODE_EXECUTABLE;
  if (named !== undefined) return named;
  if (wish === 'desktop') return download();
  return hasDisplay() && (await isReachable(downloadSite)) ? download() : undefined;
}
