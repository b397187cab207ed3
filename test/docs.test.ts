import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { makeStages } from './stages';

// What people read, held to what is there: links lead somewhere, and what is looked up is complete.
const root = path.resolve(__dirname, '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

const maxLinesOfReadme = 170;
const maxLinesOfArchitecture = 150;
/** A default that is longer than this stands below the table, as JSON. */
const maxDefaultInCell = 80;

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { command: string; title: string }[];
    readonly menus: Record<string, readonly { command?: string; when?: string }[]>;
    readonly configuration: readonly {
      readonly title: string;
      readonly properties: Record<string, { default: unknown }>;
    }[];
  };
  readonly scripts: Record<string, string>;
}
const { contributes, scripts } = JSON.parse(read('package.json')) as Manifest;
const texts = JSON.parse(read('package.nls.json')) as Record<string, string>;

const pages = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((name) => path.posix.join('docs', name.replaceAll(path.sep, '/')))
  .filter((name) => name.endsWith('.md'));
const documents = ['README.md', 'ARCHITECTURE.md', 'SECURITY.md', 'CONTRIBUTING.md', ...pages];

/** The text without what is code, in which brackets and `#` mean something else. */
function prose(text: string): string {
  return text.replaceAll(/^( *)```[^\n]*\n[^]*?^\1```$/gm, '').replaceAll(/`[^`\n]+`/g, 'code');
}

/** The anchors that GitHub and VS Code give to the headings of a page. */
function anchors(text: string): Set<string> {
  const found = new Set<string>();
  const withoutBlocks = text.replaceAll(/^( *)```[^\n]*\n[^]*?^\1```$/gm, '');
  for (const [, heading = ''] of withoutBlocks.matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const name = plain
      .trim()
      .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    let anchor = name;
    for (let count = 1; found.has(anchor); count++) anchor = `${name}-${count}`;
    found.add(anchor);
  }
  return found;
}

/** Where the links and pictures of a page lead, as they are written. */
function targets(text: string): string[] {
  const inline = [...prose(text).matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)];
  const defined = [...prose(text).matchAll(/^ *\[[^\]]+\]:\s+(\S+)/gm)];
  return [...inline, ...defined].map((match) => match[1] ?? '');
}

/** What is wrong with a link, or undefined. */
function problem(document: string, target: string): string | undefined {
  const [file = '', anchor] = target.split('#', 2);
  const place = path.posix.join(path.posix.dirname(document), decodeURI(file));
  const to = file === '' ? document : place;
  if (to.startsWith('..') || !existsSync(path.join(root, to))) return `${to} is not there`;
  if (anchor === undefined) return undefined;
  if (!to.endsWith('.md')) return `${to} has no headings`;
  return anchors(read(to)).has(anchor) ? undefined : `${to} has no heading #${anchor}`;
}

/** What stands between backticks, outside of blocks. */
function codes(text: string): string[] {
  const withoutBlocks = text.replaceAll(/^( *)```[^\n]*\n[^]*?^\1```$/gm, '');
  return [...withoutBlocks.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

/** Whether it names a file or folder of the project: from its root, from `src`, or a file alone. */
function isPath(code: string): boolean {
  if (code.includes('*') || code === 'test/results/') return false;
  return /^(src|test|docs|manifest|core|host|ui|parts)\/[\w./-]+$|^[\w.]+\.tsx?$/.test(code);
}

const sources = ['src', 'test'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(root, folder, name),
  ),
);
const sourceNames = new Set(sources.map((file) => path.basename(file)));

const isThere = (name: string): boolean =>
  ['', 'src'].some((folder) => existsSync(path.join(root, folder, name))) || sourceNames.has(name);

const isFolderName = (code: string): boolean => /^[a-zA-Z]+$/.test(code);

/** The cells of each row of the tables of a page, without the rows of their heads. */
function rows(text: string): string[][] {
  const lines = text.split('\n');
  const isRule = (line: string | undefined) => line !== undefined && /^\|[ :|-]+\|$/.test(line);
  return lines
    .filter((line, at) => line.startsWith('|') && !isRule(line) && !isRule(lines[at + 1]))
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

/** A default as a table shows it. */
function shown(name: string, value: unknown): string {
  if (value === '') return 'empty';
  if (typeof value !== 'number') return `\`${JSON.stringify(value).replaceAll(/^"|"$/g, '')}\``;
  const isBytes = name.endsWith('Bytes') && value % 2 ** 20 === 0;
  return isBytes ? `${value / 2 ** 20} MiB` : value.toLocaleString('en-US');
}

const title = (text: string): string =>
  text.replace(/^%(.+)%$/, (_, key: string) => texts[key] ?? '');

describe('The documents', () => {
  it('have links to existing files and headings', () => {
    const links = documents.flatMap((document) =>
      targets(read(document))
        .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
        .map((target) => ({ document, target })),
    );
    assert.ok(links.length > 40, `only ${links.length} links were found`);
    assert.ok(links.filter(({ target }) => target.includes('#')).length > 10);
    const wrong = links.flatMap(({ document, target }) => {
      const said = problem(document, target);
      return said === undefined ? [] : [`${document}: (${target}) ${said}`];
    });
    assert.deepEqual(wrong, []);
  });

  it('would have a broken link reported', () => {
    const text = '[a](b.md) ![c](d.png "e") `[f](g)` [h](#i)\n\n```md\n[j](k)\n```\n[l]: m.md\n';
    assert.deepEqual(targets(text), ['b.md', 'd.png', '#i', 'm.md']);
    assert.deepEqual(
      [...anchors('# A: b, `c.d`!\n## [E](f) g\n## E g\n```sh\n# no\n```\n')],
      ['a-b-cd', 'e-g', 'e-g-1'],
    );
    assert.match(problem('docs/commands.md', 'nowhere.md') ?? '', /is not there/);
    assert.match(problem('docs/commands.md', '../README.md#nowhere') ?? '', /no heading/);
    assert.match(problem('README.md', '../elsewhere.md') ?? '', /is not there/);
  });

  it('are all linked from the front page', () => {
    const linked = new Set(targets(read('README.md')));
    const forPeople = pages.filter((page) => path.posix.dirname(page) === 'docs');
    assert.ok(forPeople.length >= 12, `only ${forPeople.length} pages were found`);
    const wanted = [...forPeople, 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'LICENSE'];
    assert.deepEqual(
      wanted.filter((page) => !linked.has(page)),
      [],
    );
  });

  it('begin with a short front page', () => {
    const lines = read('README.md').trimEnd().split('\n').length;
    assert.ok(lines > 50 && lines <= maxLinesOfReadme, `${lines} lines`);
  });

  it('link to every page about the design from a page that can be read in one sitting', () => {
    const lines = read('ARCHITECTURE.md').trimEnd().split('\n').length;
    assert.ok(lines > 50 && lines <= maxLinesOfArchitecture, `${lines} lines`);
    const linked = new Set(targets(read('ARCHITECTURE.md')).map((target) => target.split('#')[0]));
    const wanted = pages.filter((page) => path.posix.dirname(page) === 'docs/design');
    assert.ok(wanted.length > 10, `only ${wanted.length} pages were found`);
    assert.deepEqual(
      wanted.filter((page) => !linked.has(page)),
      [],
    );
  });

  it('describe every folder of the code', () => {
    const told = rows(read('ARCHITECTURE.md')).flatMap(([name = '']) => codes(name));
    const rooms = ['core', 'host', 'ui'];
    const folders = rooms.flatMap((room) =>
      readdirSync(path.join(root, 'src', room), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name),
    );
    assert.ok(folders.length > 30);
    assert.deepEqual(
      told.filter((name) => !name.startsWith('src/') && isFolderName(name)).toSorted(),
      folders.toSorted(),
    );
  });

  it('name only existing files and folders', () => {
    const named = documents.flatMap((document) =>
      [...new Set(codes(read(document)).filter(isPath))].map((name) => ({ document, name })),
    );
    assert.ok(named.length > 100, `only ${named.length} names were found`);
    assert.deepEqual(
      named
        .filter(({ name }) => !isThere(name))
        .map(({ document, name }) => `${document}: ${name}`),
      [],
    );
  });

  it('name only settings, commands and colors of the manifest', () => {
    const manifest = read('package.json');
    const named = [...documents, 'CHANGELOG.md'].flatMap((document) =>
      codes(read(document))
        .map((code) => /^toolgate(?:\.[a-zA-Z]+)+(?=$|:)/.exec(code)?.[0] ?? '')
        .filter((name) => name !== '' && name !== 'toolgate.lock.json')
        .map((name) => ({ document, name })),
    );
    assert.ok(named.length > 50, `only ${named.length} names were found`);
    assert.deepEqual(
      named.filter(({ name }) => !manifest.includes(`"${name}"`)),
      [],
    );
  });

  it('would have an unknown name reported', () => {
    assert.deepEqual(['src/nothing', 'core/nothing.ts', 'nothing.ts'].filter(isThere), []);
    assert.deepEqual(['src/core', 'core/client.ts', 'gate.ts', 'docs'].filter(isThere).length, 4);
  });

  it('list the commands to type on the front page', () => {
    const wanted = [
      'ci && npm test',
      'start',
      ...['test:all', 'bench', 'conformance', 'package', 'lint', 'fuzz', 'corpus'].map(
        (name) => `run ${name}`,
      ),
    ];
    const front = read('README.md');
    assert.deepEqual(
      wanted.filter((words) => !front.includes(`| \`npm ${words}\` `)),
      [],
    );
  });

  it('name only scripts that package.json has', () => {
    const named = ['README.md', 'CONTRIBUTING.md'].flatMap((document) =>
      [...read(document).matchAll(/\bnpm run ([\w-]+)/g)].map(([, name = '']) => name),
    );
    assert.ok(named.length > 5);
    assert.deepEqual(
      named.filter((name) => !Object.hasOwn(scripts, name)),
      [],
    );
  });
});

describe('The stages of the tests', () => {
  const { stages, remove } = makeStages();
  const names = Object.keys(stages);
  after(remove);

  it('are listed with the times when they run', () => {
    const told = read('CONTRIBUTING.md');
    assert.deepEqual(
      names.filter((name) => !told.includes(`\`${name}\``)),
      [],
    );
  });

  it('run in the jobs of the workflow, with all that a release needs', () => {
    const steps = [...read('.github/workflows/ci.yml').matchAll(/npm run test:all -- (.*)/g)];
    const run = steps.flatMap(([, list = '']) =>
      list
        .replaceAll('"', '')
        .split(' ')
        .flatMap((name) => [name.replace('$SUFFIX', ''), name.replace('$SUFFIX', '-oldest')]),
    );
    const needed = names.filter((name) => stages[name]?.only !== 'test');
    assert.deepEqual(
      needed.filter((name) => !run.includes(name)),
      [],
    );
  });
});

describe('The page of settings', () => {
  const text = read('docs/settings.md');
  const sections = contributes.configuration;
  const settings = sections.flatMap(({ properties }) => Object.entries(properties));
  const told = new Map(
    rows(text).map(([name = '', ...cells]) => [name.replaceAll('`', ''), cells] as const),
  );

  it('has exactly the settings of package.json, each with a sentence', () => {
    assert.ok(settings.length > 20);
    assert.deepEqual(
      [...told.keys()],
      settings.map(([name]) => name),
      'or their order',
    );
    assert.deepEqual(
      [...told].filter(([, [, what = '']]) => what === ''),
      [],
    );
  });

  it('has the groups of the Settings editor', () => {
    const headings = [...text.matchAll(/^## ([^`\n]+)$/gm)].map(([, heading]) => heading);
    assert.deepEqual(
      headings,
      sections.map((section) => title(section.title)),
    );
  });

  it('has the default of each setting', () => {
    const wrong = settings.flatMap(([name, { default: value }]) => {
      const wanted = shown(name, value);
      if (wanted.length > maxDefaultInCell) {
        const [, block = '""'] =
          text.split(`## \`${name}\``)[1]?.match(/```json\n([^]*?)```/) ?? [];
        const given: unknown = JSON.parse(block);
        return JSON.stringify(given) === JSON.stringify(value) ? [] : [`${name}: see its section`];
      }
      const [given = ''] = told.get(name) ?? [];
      // More words may stand behind it: `3,600,000 (one hour)`.
      return given === wanted || given.startsWith(`${wanted} (`) ? [] : [`${name}: ${wanted}`];
    });
    assert.deepEqual(wrong, []);
  });
});

describe('The page of commands', () => {
  it('has exactly the commands of the palette, each with a sentence', () => {
    const hidden = new Set(
      (contributes.menus['commandPalette'] ?? [])
        .filter(({ when }) => when === 'false')
        .map(({ command }) => command),
    );
    const titles = contributes.commands
      .filter(({ command }) => !hidden.has(command))
      .map((command) => title(command.title));
    assert.ok(titles.length > 40, `only ${titles.length} commands were found`);
    const told = rows(read('docs/commands.md'));
    assert.deepEqual(told.map(([name = '']) => name).toSorted(), titles.toSorted());
    assert.deepEqual(
      told.filter(([, what = '']) => what === ''),
      [],
    );
  });
});
