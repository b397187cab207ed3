import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as ids from '../src/ids';
import { foreignTextSchemes } from '../src/ui/editor/foreignTextSchemes';
import { holds, type Situation } from './whenClause';

// The menus as a person meets them: at every place where one opens, what stands in it and in which order.
const root = path.resolve(__dirname, '..');
const read = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), 'utf8'));

interface Entry {
  readonly command: string;
  readonly group?: string;
  readonly when?: string;
}
interface Command {
  readonly command: string;
  readonly title: string;
  readonly icon?: string;
}
const { contributes } = read('package.json') as {
  contributes: {
    commands: readonly Command[];
    menus: Readonly<Record<string, readonly Entry[]>>;
    views: Readonly<Record<string, readonly { id: string; name: string }[]>>;
  };
};
const texts = read('package.nls.json') as Readonly<Record<string, string>>;
const textOf = (key: string): string => texts[key.replaceAll('%', '')] ?? '';
const commands = new Map(contributes.commands.map((command) => [command.command, command]));

/** Fewer than these mean that the test looked at nothing. */
const fewestEntries = 60;
const fewestTitles = 60;

const yesAndNo = [true, false];

/** A document as VS Code tells conditions about it. */
function document(uri: string): Situation {
  const [, resourceScheme = '', resourcePath = ''] = /^([^:]+):(.*)$/.exec(uri) ?? [];
  const resourceFilename = path.posix.basename(resourcePath);
  const resourceExtname = path.posix.extname(resourcePath);
  return { resource: uri, resourceScheme, resourcePath, resourceFilename, resourceExtname };
}

const documents = [
  `${ids.scheme}:/garden/calls/1/part.mcptable`,
  `${ids.scheme}:/garden/calls/1/part.mcpjson`,
  `${ids.scheme}:/garden/calls/1/overview.mcpresult`,
  `${ids.scheme}:/garden/calls/1/part.mcpmd`,
  `${ids.scheme}:/garden/calls/1/part-beginning.mcptext`,
  `${ids.scheme}:/garden/resources/1/note.mcpmd`,
  `${ids.scheme}:/garden/resources/1/note-beginning.mcpmd`,
  `${ids.comparisonScheme}:/all/result.mcpjson`,
  `${ids.comparisonScheme}:/lasting/result.mcpjson`,
  ...foreignTextSchemes.map((scheme) => `${scheme}:/garden/text.mcptext`),
  `${ids.argumentsScheme}:/1/arguments.json`,
  `untitled:/a${ids.callFileExtension}`,
  `file:/a${ids.callFileExtension}`,
  'file:/a.txt',
  'file:/run.mcprecord',
].map(document);

/** Every place where a menu of ours opens. */
const { isFiltered, isRestricted, canStart } = ids.contextKeys;
const demoSetting = `config.${ids.settings.section}.${ids.settings.demoServer}`;
const agentsSetting = `config.${ids.settings.section}.${ids.settings.agentsEnabled}`;
const views: readonly Situation[] = Object.values(ids.views).flatMap((view) =>
  [isFiltered, isRestricted, canStart, demoSetting, agentsSetting].reduce<Situation[]>(
    (all, key) => all.flatMap((each) => yesAndNo.map((value) => ({ ...each, [key]: value }))),
    [{ view }],
  ),
);
const editors = documents.flatMap((each) =>
  yesAndNo.map((hasServers): Situation => ({ ...each, [ids.contextKeys.hasServers]: hasServers })),
);
const situations: Readonly<Record<string, readonly Situation[]>> = {
  'view/title': views,
  'view/item/context': views.flatMap((view) =>
    Object.values(ids.contextValues).map((viewItem) => ({ ...view, viewItem })),
  ),
  'editor/title': editors,
  'editor/title/context': editors,
  'editor/context': editors,
  'explorer/context': editors.flatMap((editor) =>
    yesAndNo.map((explorerResourceIsFolder) => ({ ...editor, explorerResourceIsFolder })),
  ),
  'testing/item/context': [{ controllerId: 'toolgate' }],
  'testing/message/content': [{ testMessage: ids.unmetContext }],
  commandPalette: editors.flatMap((editor) =>
    yesAndNo.map((value) => ({
      ...editor,
      chatIsEnabled: value,
      [isFiltered]: value,
      [demoSetting]: value,
      [agentsSetting]: value,
    })),
  ),
};
/** Its order is that of titles: entries have conditions only. */
const menus = Object.entries(contributes.menus).filter(([menu]) => menu !== 'commandPalette');

const groupOf = ({ group = '' }: Entry): string => group.split('@')[0] ?? '';

/** The entries that a person sees at each place of a menu. */
function* shown(menu: string): Iterable<readonly [Situation, readonly Entry[]]> {
  for (const situation of situations[menu] ?? []) {
    const entries = contributes.menus[menu] ?? [];
    yield [situation, entries.filter(({ when }) => holds(when, situation))];
  }
}

/** What stands twice in a list. */
function repeated(values: readonly string[]): string[] {
  return values.filter((value, at) => values.indexOf(value) !== at);
}

/** Icons that are told apart only side by side, if at all. */
const lookAlikes = [
  ['play', 'debug-start', 'debug-continue', 'run-all'],
  ['refresh', 'sync', 'debug-restart', 'debug-rerun'],
  ['save', 'save-as', 'save-all'],
  ['filter', 'filter-filled'],
  ['eye', 'eye-closed'],
  ['close', 'circle-slash', 'error'],
  ['check', 'pass', 'verified'],
  ['go-to-file', 'new-file', 'open-preview'],
];
function lookOf(entry: Entry): string {
  const icon = /^\$\((.+)\)$/.exec(commands.get(entry.command)?.icon ?? '')?.[1] ?? '';
  return lookAlikes.find((icons) => icons.includes(icon))?.[0] ?? icon;
}

describe('The menus', () => {
  it('open at known places, and every entry appears at one of them', () => {
    assert.deepEqual(Object.keys(contributes.menus).toSorted(), Object.keys(situations).toSorted());
    const all = Object.values(contributes.menus).flat();
    assert.ok(all.length > fewestEntries, `only ${all.length} entries were found`);
    const seen = new Set(
      Object.keys(situations).flatMap((menu) => [...shown(menu)].flatMap(([, entries]) => entries)),
    );
    assert.deepEqual(
      all.filter((entry) => !seen.has(entry) && entry.when !== 'false'),
      [],
    );
  });

  it('use the group names of VS Code, and order every entry in its group', () => {
    const wrong = menus.flatMap(([menu, entries]) => {
      const groups = menu.startsWith('view/item')
        ? /^(inline|\d_[a-z]+)@\d+$/
        : /^(navigation|\d_[a-z]+|z_toolgate)@\d+$/;
      return entries.filter(({ group = '' }) => !groups.test(group));
    });
    assert.deepEqual(wrong, []);
  });

  it('have no two entries at the same place, and no entry twice', () => {
    const clashes = menus.flatMap(([menu]) =>
      [...shown(menu)].flatMap(([situation, entries]) =>
        [
          ...repeated(entries.map(({ group = '' }) => group)),
          ...repeated(entries.map((entry) => `${groupOf(entry) === 'inline'} ${entry.command}`)),
        ].map((clash) => `${menu} ${clash} ${JSON.stringify(situation)}`),
      ),
    );
    assert.deepEqual(clashes, []);
  });

  it('show no two similar icons beside each other', () => {
    const pictures = menus.flatMap(([menu]) =>
      [...shown(menu)].flatMap(([situation, entries]) => {
        const icons = entries
          .filter((entry) => ['inline', 'navigation'].includes(groupOf(entry)))
          .map(lookOf);
        const wrong = [...repeated(icons), ...icons.filter((icon) => icon === '')];
        return wrong.map((icon) => `${menu} “${icon}” ${JSON.stringify(situation)}`);
      }),
    );
    assert.deepEqual(pictures, []);
  });

  it('have every icon of a row also as a menu entry', () => {
    const missing = [...shown('view/item/context')].flatMap(([situation, entries]) => {
      const inWords = entries.filter((entry) => groupOf(entry) !== 'inline');
      return entries
        .filter((entry) => !inWords.some(({ command }) => command === entry.command))
        .map(({ command }) => `${command} ${JSON.stringify(situation)}`);
    });
    assert.deepEqual(missing, []);
  });

  it('have titles in VS Code’s title case', () => {
    const little = /^(a|an|and|as|by|for|from|in|into|of|on|or|the|to|with)$/;
    const isRight = (title: string) =>
      title
        .replace(/…$/, '')
        .split(' ')
        .every((word, at, all) => {
          const isInside = at > 0 && at < all.length - 1;
          return isInside && little.test(word.toLowerCase())
            ? little.test(word)
            : /^[A-Z]/.test(word);
        });
    const titles = [
      ...contributes.commands.map(({ title }) => textOf(title)),
      ...Object.values(contributes.views).flatMap((of) => of.map(({ name }) => textOf(name))),
    ];
    assert.ok(titles.length > fewestTitles, `only ${titles.length} titles were found`);
    assert.deepEqual(
      titles.filter((title) => !isRight(title)),
      [],
    );
    assert.deepEqual(
      ['Save As…', 'Copy the Name', 'Copy name', 'Run With Care', 'and So', ''].map(isRight),
      [true, true, false, false, false, false],
    );
  });

  it('would have an unknown condition reported', () => {
    const place: Situation = { view: 'a', viewItem: 'b.c', isOn: true };
    const told = ['view == a && isOn', '!isOn', 'viewItem =~ /^b\\./', 'view != a', 'view !~ /b/'];
    assert.deepEqual(
      told.map((condition) => holds(condition, place)),
      [true, false, true, false, true],
    );
    assert.throws(() => holds('view == a && vieww == a', place), /no vieww/);
    assert.throws(() => holds('view == a || isOn', place), /not understood|no/);
  });
});
