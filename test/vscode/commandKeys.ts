import manifest from '../../package.json';
import texts from '../../package.nls.json';

// Keys for commands in the windows of tests: for all of Toolgate, and some of VS Code. The palette draws and searches
// seven hundred commands whenever it opens, which is a sixth of what the tests of a page cost; tests
// that are about the palette use it.

/** Nothing of VS Code begins with it. */
const first = 'ctrl+alt+shift+f9';
const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
const seconds = ['', 'shift+', 'alt+', 'ctrl+', 'ctrl+alt+'].flatMap((modifier) =>
  letters.map((letter) => modifier + letter),
);

const namedTexts: Readonly<Record<string, string>> = texts;
const textOf = (title: string): string => namedTexts[title.slice(1, -1)] ?? title;

/** Of VS Code itself, those that tests run often. */
const builtIn = {
  'Developer: Reload Window': 'workbench.action.reloadWindow',
  'File: New Untitled Text File': 'workbench.action.files.newUntitledFile',
  'File: Revert File': 'workbench.action.files.revert',
  'File: Save': 'workbench.action.files.save',
  'Notifications: Clear All Notifications': 'notifications.clearAll',
  'Notifications: Show Notifications': 'notifications.showList',
  'Preferences: Open User Settings (JSON)': 'workbench.action.openSettingsJson',
  'View: Close All Editors': 'workbench.action.closeAllEditors',
  'View: Close Editor': 'workbench.action.closeActiveEditor',
  'View: Hide Panel': 'workbench.action.closePanel',
  'View: Keep Editor': 'workbench.action.keepEditor',
};

const own = manifest.contributes.commands.map(
  ({ category, title, command }) => [`${category}: ${textOf(title)}`, command] as const,
);
const bindings = [...Object.entries(builtIn), ...own].map(([title, command], index) => {
  const second = seconds[index];
  if (second === undefined) throw new Error(`There are keys for ${seconds.length} commands.`);
  return { title, command, second };
});

/** The user's `keybindings.json`. */
export const keybindings = bindings.map(({ command, second }) => ({
  key: `${first} ${second}`,
  command,
}));

const asPressed = (key: string): string =>
  key
    .split('+')
    .map((part) => {
      if (part === 'ctrl') return 'Control';
      return part.length === 1
        ? `Key${part.toUpperCase()}`
        : part[0]?.toUpperCase() + part.slice(1);
    })
    .join('+');

/** What to press, in this order, for the command that the palette has under this title. */
export function keysOf(title: string): readonly string[] | undefined {
  const found = bindings.find((each) => each.title === title);
  return found && [asPressed(first), asPressed(found.second)];
}
