import { spawn } from 'node:child_process';
import path from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** A program with its parameters. */
export type BrowserCommand = readonly [string, ...string[]];

/** Starts the program on its own; it goes on when this process ends. */
export function openInBrowser(
  [program, ...parameters]: BrowserCommand,
  env: Environment,
  onError: (error: Error) => void,
): void {
  const child = spawn(program, parameters, { detached: true, stdio: 'ignore', env: { ...env } });
  child.on('error', onError);
  child.unref();
}

/** The program that opens a page, with its parameters and without a shell; `undefined`: there is none. */
export function browserCommand(
  address: string,
  env: Environment,
  platform = process.platform,
): BrowserCommand | undefined {
  // Remote terminals of editors set it to what opens a page on the machine of the user.
  const [own = ''] = (env['BROWSER'] ?? '').split(path.delimiter);
  if (own !== '' && !own.includes('%')) return [own, address];
  if (platform === 'darwin') return ['open', address];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', address];
  const hasScreen = [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((each) => (each ?? '') !== '');
  return hasScreen ? ['xdg-open', address] : undefined;
}
