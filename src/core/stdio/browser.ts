import { spawn } from 'node:child_process';
import path from 'node:path';
import { windowsProgram } from './findProgram';

type Environment = Readonly<Record<string, string | undefined>>;

/** A program with its arguments. */
export type BrowserCommand = readonly [string, ...string[]];

/** Starts the program detached, so that it continues when this process ends. */
export function openInBrowser(
  [program, ...parameters]: BrowserCommand,
  env: Environment,
  onError: (error: Error) => void,
): void {
  const child = spawn(program, parameters, { detached: true, stdio: 'ignore', env: { ...env } });
  child.on('error', onError);
  child.unref();
}

/**
 * Returns the program that opens a page, with its arguments and without a shell; `undefined` if
 * there is none.
 */
export function browserCommand(
  address: string,
  env: Environment,
  platform = process.platform,
): BrowserCommand | undefined {
  // Remote terminals of editors set BROWSER to a program that opens a page on the user's machine.
  const [own = ''] = (env['BROWSER'] ?? '').split(path.delimiter);
  if (own !== '' && !own.includes('%')) return [own, address];
  if (platform === 'darwin') return ['open', address];
  if (platform === 'win32') {
    return [windowsProgram('rundll32.exe'), 'url.dll,FileProtocolHandler', address];
  }
  const hasScreen = [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((each) => (each ?? '') !== '');
  return hasScreen ? ['xdg-open', address] : undefined;
}
