import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import manifest from '../../package.json';
import { runCommand } from '../page/quickInput';
import { eventually } from '../waiting';
import type { Figures } from './table';
import type { WindowWork } from './windowHelper';

// The two extensions that are beside Toolgate in a window that is measured.

const { engines, activationEvents } = manifest;
const command = 'bench.begin';
const title = 'Bench: Begin';

/** The name under which Running Extensions has the one that does nothing. */
export const empty = 'empty';

function writeExtension(folder: string, name: string, rest: object, main: string): string {
  mkdirSync(folder, { recursive: true });
  const own = { name, publisher: name, version: '1.0.0', displayName: name, engines };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ ...own, ...rest }));
  writeFileSync(path.join(folder, 'main.js'), main);
  return folder;
}

/**
 * An extension that does nothing, is activated by the same events as Toolgate and stands right before it
 * in VS Code's order, and the one that measures, which is loaded when its command is run.
 */
export function writeExtensions(built: string): readonly string[] {
  const idle = { activationEvents, main: './main.js' };
  const helping = {
    main: './main.js',
    contributes: { commands: [{ command, title: 'Begin', category: 'Bench' }] },
  };
  const helper = JSON.stringify(path.join(built, 'windowHelper.js'));
  return [
    writeExtension(path.join(built, empty), empty, idle, 'exports.activate = () => undefined;\n'),
    writeExtension(
      path.join(built, 'helper'),
      'helper',
      helping,
      `exports.activate = ({ subscriptions }) => subscriptions.push(
        require('vscode').commands.registerCommand('${command}', () => {
          subscriptions.push(require(${helper}).begin());
        }),
      );\n`,
    ),
  ];
}

export type Ask = <Name extends keyof WindowWork>(
  name: Name,
  ...given: Parameters<WindowWork[Name]>
) => Promise<Figures>;

/** Wakes the extension that measures, which tells in `addressFile` where it listens. */
export async function beginHelping(page: Page, addressFile: string): Promise<Ask> {
  await runCommand(page, title);
  const address = await eventually(
    () => (existsSync(addressFile) ? readFileSync(addressFile, 'utf8') : ''),
    (text) => text.endsWith('}'),
  );
  const { port } = JSON.parse(address) as { port: number };
  return async (name, ...given) => {
    const answer = await fetch(`http://127.0.0.1:${port}/${[name, ...given].join('/')}`);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${name}: ${text}`);
    return JSON.parse(text) as Figures;
  };
}
