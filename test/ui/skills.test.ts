import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { Skill } from '../../src/core/skills/skill';
import { connectStdio } from '../../src/core/stdio/connectStdio';
import { LiveProcesses } from '../../src/core/stdio/stdioProcess';
import { ServerRegistry } from '../../src/host/connections/registry';
import { contextValues } from '../../src/ids';
import { SkillParts } from '../../src/parts/skillParts';
import { skillText } from '../../src/ui/consent/toolChanges/toolChangeDocuments';
import {
  acceptToolChanges,
  toolChanges,
} from '../../src/ui/consent/toolChanges/toolChangeCommands';
import { resourceLenses } from '../../src/ui/resources/liveDocuments';
import type { Results } from '../../src/ui/results/results';
import { openSkillFile } from '../../src/ui/skills/skillCommands';
import { ListedRows } from '../../src/ui/tree/listedRows';
import { skillRow } from '../../src/ui/tree/skillRow';
import { ToolFilterState } from '../../src/ui/tree/toolFilterState';
import type { Row } from '../../src/ui/tree/treeRows';
import { RecordingLog } from '../core/wire';
import { PinWindows } from '../host/pinFixtures';
import { noLists, treeModelOf } from '../host/treeModels';
import { eventually } from '../waiting';
import { assertEach } from '../assertions';
import { RealExtension } from './realExtension';
import { resultsOf } from './resultCommands';
import { chooseRow, ShownPicks } from './shownPicks';
import { serverTreeOf } from './serverTrees';

const scheme = 'toolgate-skills';
const own = 'skill://good/SKILL.md';
const manifest = '---\nname: good\ndescription: Says what is \u202Egood\n---\nDo well\n';

/** Serves a good skill, an evil one, one with a file of 1 GB, one without digests, and a bad entry. */
const script = `(server) => {
  const digest = ${JSON.stringify(`sha256:${createHash('sha256').update(manifest).digest('hex')}`)};
  const text = ${JSON.stringify(manifest)};
  const size = Buffer.byteLength(text);
  const entry = (name, resources, description = 'About ' + name) =>
    ({ uri: 'skill://' + name + '/SKILL.md', frontmatter: { name, description }, resources });
  const own = (name) => ({ uri: 'skill://' + name + '/SKILL.md', digest, size });
  const skills = [
    entry('good', [own('good')], 'Says what is \\u202Egood'),
    entry('evil', [own('evil')]),
    entry('huge', [own('huge'), { uri: 'skill://huge/data/a.bin', digest, size: 1024 ** 3 }]),
    entry('loose', 'dynamic'),
    entry('sly', [own('sly'), { uri: 'skill://good/SKILL.md', digest, size }]),
  ];
  server.capabilities = {
    tools: {}, resources: {}, extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
  };
  server.on('skills/list', (message) => server.reply(message, { skills }));
  server.on('tools/call', (message) => {
    if (message.params.name === 'change') skills[1].frontmatter.license = 'MIT';
    server.text(message, JSON.stringify(server.received));
  });
  server.on('resources/directory/read', (message) => {
    const { uri } = message.params;
    const folder = { uri: uri + '/parts', name: 'parts', mimeType: 'inode/directory' };
    const outside = { uri: 'skill://good/SKILL.md', name: 'outside' };
    const resources = uri.endsWith('parts') ? [{ uri: uri + '/a.md', name: 'a' }] : [outside, folder];
    server.reply(message, { resources });
  });
  server.on('resources/read', (message) => {
    const { uri } = message.params;
    const read = uri.includes('evil') ? text.replace('well', 'evil') : text;
    server.reply(message, { contents: [{ uri, mimeType: 'text/markdown', text: read }] });
  });
}`;

describe('The skills of a server', () => {
  const extension = new RealExtension();
  const processes = new LiveProcesses();
  const windows = new PinWindows();
  let registry: ServerRegistry;
  let skills: SkillParts;
  let results: Results;
  let state: vscode.Disposable & { readonly tree: ReturnType<typeof serverTreeOf> };

  before(async () => {
    registry = new ServerRegistry({
      isTrusted: () => true,
      approve: async () => true,
      logOf: () => new RecordingLog(),
      connect: () =>
        connectStdio({
          ...extension.scriptedEntry(Object.assign(() => undefined, { toString: () => script })),
          clientInfo: { name: 't', title: 't', version: '1' },
          log: new RecordingLog(),
          processes,
        }),
    });
    const transport = { kind: 'stdio', command: 'node', args: [], env: {} } as const;
    const source = { kind: 'setting' } as const;
    registry.setConfiguration([{ id: 'library', label: 'Library', source, transport }], []);
    skills = new SkillParts(registry, windows.open());
    ({ results } = resultsOf(scheme, { registry, skills: skills.checks }));
    const filter = new ToolFilterState({ get: () => undefined, update: async () => undefined });
    const tree = serverTreeOf(registry, filter, {
      lists: { ...noLists, skills: skills.lists },
      skillPins: skills.pins.pins,
    });
    state = Object.assign(vscode.Disposable.from(tree, filter), { tree });
    await registry.start('library');
  });
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));
  after(async () => {
    state.dispose();
    results.dispose();
    skills.dispose();
    await registry.stopAll();
    registry.dispose();
    windows.remove();
  });

  const children = (row?: Row): Row[] => state.tree.getChildren(row);
  const branch = (): Row => {
    const rows = children(children()[0]);
    return rows.find((row) => row.kind === 'branch') ?? assert.fail('no branch');
  };
  const shown = async (): Promise<Row[]> => {
    children(branch());
    await skills.lists.ensure('library');
    return children(branch());
  };
  const describeRow = (row: Row) => {
    const { label, description } = state.tree.getTreeItem(row);
    return [label, description];
  };
  const readUris = async (): Promise<string[]> => {
    const { content } = await Object(registry.client('library')).callTool('received', {});
    return JSON.parse(String(content[0].text)).flatMap(
      ({ method, params }: { method: string; params?: { uri?: string } }) =>
        method === 'resources/read' ? [params?.uri] : [],
    );
  };
  const open = (uri: string) => results.resources.open('library', uri);
  const activeText = () => {
    const document = vscode.window.activeTextEditor?.document ?? assert.fail('nothing is open');
    const { resources } = results;
    const stateOf = () => ({ kind: 'still' }) as const;
    const lenses = resourceLenses(document.uri, { resources, stateOf, labelOf: String });
    const titles = lenses.map(({ command }) => command?.title);
    return { document, titles };
  };

  it('are a branch of rows that warn, and their files are not read before one is opened', async () => {
    const rows = await shown();
    assert.deepEqual(rows.map(describeRow), [
      ['Skills may be missing', 'Refresh'],
      ['good', 'hidden characters · Says what is \\u{202E}good'],
      ['evil', 'About evil'],
      ['huge', 'too large · About huge'],
      ['loose', 'not verifiable · About loose'],
    ]);
    assert.equal(state.tree.getTreeItem(branch()).description, '4');
    assert.equal(state.tree.getTreeItem(branch()).contextValue, contextValues.skills);
    const huge = rows.find((row) => row.kind === 'skill' && row.uri.includes('huge'));
    const files = children(huge);
    assert.deepEqual(files.map(describeRow), [['data/a.bin', '1024 MiB']]);
    assert.equal(files[0] && state.tree.getParent(files[0]), huge);
    for (const row of [...rows, ...files]) {
      const item = state.tree.resolve(state.tree.getTreeItem(row), row);
      assert.ok(item.tooltip instanceof vscode.MarkdownString);
    }
    assert.deepEqual(await readUris(), []);
  });

  it('are drawn without a look at each of their files', () => {
    let looks = 0;
    const file = {
      digest: '',
      size: 1,
      get uri() {
        looks += 1;
        return 'skill://large/b';
      },
    };
    const files = [
      { uri: 'skill://large/SKILL.md', digest: '', size: 1 },
      ...Array.from({ length: 600 }, () => file),
    ];
    const uri = 'skill://large/SKILL.md';
    const large: Skill = { uri, name: 'large', description: '', frontmatter: {}, files };
    const entries = [large, { ...large, files: files.slice(0, 1) }];
    const of = () => ({ state: 'listed', entries, problems: [] }) as const;
    const listed = new ListedRows({ ...noLists, skills: { has: () => true, of, want: () => {} } });
    const model = treeModelOf(registry, { listed });
    const states = listed
      .branches('library')
      .flatMap((row) => listed.children(row))
      .flatMap((row) => (row.kind === 'skill' ? [skillRow.item(row, model).collapsibleState] : []));
    const { Collapsed, None } = vscode.TreeItemCollapsibleState;
    assert.deepEqual(states, [Collapsed, None]);
    assert.equal(looks, 0);
  });

  it('open as their text, with a line that says what was verified', async () => {
    await shown();
    await open(own);
    const { document, titles } = activeText();
    assert.match(document.getText(), /Do well/);
    assert.deepEqual(titles, [
      '$(check)\u00A0Size, digest and frontmatter are as the server lists them.',
    ]);
  });

  it('open as a warning if they are not what is listed, or cannot be verified', async () => {
    await shown();
    await open('skill://evil/SKILL.md');
    const evil = activeText();
    const entry: Skill | undefined = skills.lists.of('library').entries[1];
    assert.ok(entry !== undefined && entry.files !== 'dynamic');
    const { digest = '' } = entry.files[0] ?? {};
    assert.match(
      evil.document.getText(),
      new RegExp(`^⚠ Do not use this file: its digest is sha256:\\w+, but ${digest} is listed`),
    );
    await open('skill://loose/SKILL.md');
    assert.match(activeText().document.getText(), /^⚠ Do not use this skill: “name” in its/);
    await open('skill://loose/other.md');
    assert.match(activeText().document.getText(), /^⚠ The server lists no digest for this file/);
    await open('skill://good/unlisted.md');
    assert.match(activeText().document.getText(), /^⚠ Do not use this file: the server does not/);
  });

  it('without a list of files are browsed folder by folder, and only below their own', async () => {
    await shown();
    const picks = new ShownPicks();
    const { lists } = skills;
    const options = { registry, lists, resources: results.resources };
    const target = { serverId: 'library', uri: 'skill://loose/SKILL.md' };
    const opened = openSkillFile(options, target);
    const folders = await picks.shownAfter(0);
    assertEach(folders.items, ({ label }) => label, ['parts']);
    await chooseRow(folders, 'parts');
    const files = await picks.shownAfter(1);
    assertEach(files.items, ({ label }) => label, ['parts/a.md']);
    await chooseRow(files, 'parts/a.md');
    await opened;
    picks.dispose();
    assert.equal((await readUris()).at(-1), 'skill://loose/parts/a.md');
  });

  it('do not read a file that is larger than any skill may be', async () => {
    await shown();
    const before = (await readUris()).length;
    assert.equal(await open('skill://huge/data/a.bin'), false);
    assert.equal((await readUris()).length, before);
    assert.equal(vscode.window.activeTextEditor, undefined);
  });

  it('are marked when their entry changes, until the change is accepted', async () => {
    await shown();
    const { pins } = skills.pins;
    const seen = async () => {
      const row = children(branch()).find((each) => each.kind === 'skill' && /evil/.test(each.uri));
      const item = row && state.tree.getTreeItem(row);
      const { description, accessibilityInformation } = state.tree.getTreeItem(branch());
      const spoken = accessibilityInformation?.label;
      return [item?.description, item?.contextValue, description, spoken];
    };
    assert.deepEqual(await seen(), ['About evil', contextValues.skill, '4', 'Skills: 4']);
    await Object(registry.client('library')).callTool('change', {});
    await skills.lists.refresh('library');
    await eventually(seen, ([, value]) => value === contextValues.changedSkill);
    assert.deepEqual(
      (await seen()).filter((_, index) => index !== 1),
      ['changed · About evil', '4 · 1 changed', 'Skills: 4, 1 changed'],
    );
    const [change, ...others] = toolChanges(skills.pins, pins);
    assert.ok(change?.kind === 'changed' && others.length === 0);
    assert.match(
      skillText(change.tool ?? assert.fail()),
      /Frontmatter and files\n[^]*"license": "MIT"/,
    );
    await acceptToolChanges(pins, [change]);
    await eventually(seen, ([, value]) => value === contextValues.skill);
  });

  it('are gone with the run of the server', async () => {
    await registry.stop('library');
    await eventually(
      async () => children(children()[0]).some((row) => row.kind === 'branch'),
      (has) => !has,
    );
  });
});
