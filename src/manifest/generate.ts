import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as ids from '../ids';
import { commandTitles } from './commands';
import {
  configurationDefaults,
  grammarFiles,
  grammars,
  jsonValidation,
  languages,
} from './languages';
import { keybindings, menus } from './menus';
import { configuration } from './settingTexts';
import { allTexts, text } from './texts';
import { viewContributions } from './views';

// Writes `contributes` of package.json, all texts of package.nls.json, and the grammars that refer
// to other ones. Run `npm run manifest` after a change in this folder.

const root = path.resolve(__dirname, '../..');

for (const [key, english] of Object.entries({
  'extension.description':
    'An MCP host for people: browse the tools of MCP servers with the risk of each, approve every call, and read the answers as editor documents. No chat needed.',
  'capabilities.untrustedWorkspaces':
    'In Restricted Mode, the servers of this workspace are listed but cannot be started.',
  'capabilities.virtualWorkspaces':
    'In a virtual workspace, only servers from user settings and the demo server are available, because servers are programs that run on a computer.',
})) {
  text(key, english);
}

const commandEntries = () =>
  Object.entries(commandTitles).map(([name, [title, icon]]) => {
    const command = ids.commands[name as keyof typeof commandTitles];
    return {
      command,
      title: text(command.replace('toolgate', 'command'), title),
      category: 'Toolgate',
      icon: icon === undefined ? undefined : `$(${icon})`,
    };
  });

/** Returns the generated files by path, as values of JSON. */
export function generate(): Readonly<Record<string, object>> {
  const contributes = {
    commands: commandEntries(),
    ...viewContributions,
    menus: menus(),
    keybindings: keybindings(),
    configuration: configuration(),
    jsonValidation: jsonValidation(),
    languages: languages(),
    grammars: grammars(),
    configurationDefaults,
  };
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as object;
  return {
    'package.json': { ...manifest, contributes },
    'package.nls.json': allTexts(),
    ...grammarFiles(),
  };
}

if (require.main === module) {
  for (const [file, value] of Object.entries(generate())) {
    writeFileSync(path.join(root, file), `${JSON.stringify(value, undefined, 2)}\n`);
  }
}
