import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// What people read, held to what is there: links lead somewhere, and what is looked up is complete.
const root = path.resolve(__dirname, '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

const maxLinesOfReadme = 170;
/** A default that is longer than this stands below the table, as JSON. */
const maxDefaultInCell = 80;

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { command: string; title: string }[];
    readonly menus: Record<string, readonly { command?: string; when?: string }[]>;
    readonly configuration: { readonly properties: Record<string, { default: unknown }> };
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
  if (typeof value !== 'number') return `\`${JSON.stringify(value).replaceAll(/^"|"$/g, '')}\``;
  const isBytes = name.endsWith('Bytes') && value % 2 ** 20 === 0;
  return isBytes ? `${value / 2 ** 20} MiB` : value.toLocaleString('en-US');
}

const title = (text: string): string =>
  text.replace(/^%(.+)%$/, (_, key: string) => texts[key] ?? '');

describe('The documents', () => {
  it('have links that lead to a file and a heading that are there', () => {
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

  it('would be told of links that lead nowhere', () => {
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

  it('begin with a front page that is read in a few minutes', () => {
    const lines = read('README.md').trimEnd().split('\n').length;
    assert.ok(lines > 50 && lines <= maxLinesOfReadme, `${lines} lines`);
  });

  it('say on the front page what to type', () => {
    const wanted = [
      'ci && npm test',
      'start',
      ...['bench', 'conformance', 'package', 'lint', 'fuzz', 'corpus'].map((name) => `run ${name}`),
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

describe('The page of settings', () => {
  const text = read('docs/settings.md');
  const settings = Object.entries(contributes.configuration.properties);
  const told = new Map(
    rows(text).map(([name = '', ...cells]) => [name.replaceAll('`', ''), cells] as const),
  );

  it('has exactly the settings of package.json, each with a sentence', () => {
    assert.ok(settings.length > 20);
    assert.deepEqual([...told.keys()].toSorted(), settings.map(([name]) => name).toSorted());
    assert.deepEqual(
      [...told].filter(([, [, what = '']]) => what === ''),
      [],
    );
  });

  it('says the default of each', () => {
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
