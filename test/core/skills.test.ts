import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { McpClient } from '../../src/core/client';
import { parseSkill, type Skill } from '../../src/core/skills/skill';
import { readFrontmatter, verifySkillFile } from '../../src/core/skills/verifySkill';
import { bundled } from '../servers/bundled';
import type { ScriptedServer } from '../servers/scripted';
import { Connections, receivedBy } from './connections';

const connections = new Connections();
const eras = [
  ['stateless', '2026-07-28'],
  ['stateful', '2025-11-25'],
] as const;

const text = '---\nname: forms\ndescription: About forms\n---\n\nBody\n';
const digestOf = (content: string) =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;
const file = (uri: string, content: string) => ({
  uri,
  digest: digestOf(content),
  size: Buffer.byteLength(content),
});
const uri = 'skill://team/forms/SKILL.md';
const wire = {
  uri,
  frontmatter: { name: 'forms', description: 'About forms' },
  resources: [file(uri, text), file('skill://team/forms/a/b.md', 'b')],
};
const skillOf = (value: unknown): Skill => {
  const skill = parseSkill(value);
  assert.ok(typeof skill === 'object', `a fault: ${JSON.stringify(skill)}`);
  return skill;
};
const verdict = (value: unknown, read: string, at = uri) =>
  verifySkillFile([skillOf(value)], at, [{ uri: at, text: read }]);

describe('Skills of the official SDK 2.x', () => {
  afterEach(() => connections.close());

  for (const [era, revision] of eras) {
    it(`are listed, verified and seen to change in ${revision}`, async () => {
      const server = bundled(path.resolve(__dirname, '../servers/skills2.ts'));
      const command = { command: process.execPath, args: [server], env: {} };
      const client = await connections.toCommand(command, { era });
      assert.equal(client.revision, revision);
      assert.ok(client.capabilities.skills && client.capabilities.skillFolders);
      const { skills, problems } = await client.listSkills();
      assert.deepEqual(problems, []);
      assert.deepEqual(
        skills.map(({ name, description, files }) => [name, description, files.length]),
        [
          ['forms', 'About forms', 3],
          ['refunds', 'About refunds', 1],
          ['reports', 'About reports', 1],
        ],
      );
      const [forms] = skills;
      assert.deepEqual(forms?.frontmatter['allowed-tools'], ['Read', 'Bash']);
      const part = 'skill://forms/references/FORMS.md';
      assert.deepEqual(await verdictOfRead(client, skills, 'skill://forms/SKILL.md'), {
        kind: 'asListed',
        isManifest: true,
      });
      assert.equal((await verdictOfRead(client, skills, part))?.kind, 'asListed');
      await client.callTool('edit', {});
      const after = await client.listSkills();
      assert.equal((await verdictOfRead(client, after.skills, part))?.kind, 'asListed');
      const stale = verifySkillFile(skills, part, await read(client, part));
      assert.equal(stale?.kind, 'size');
    });

    it(`have folders that are listed on their own in ${revision}`, async () => {
      const server = bundled(path.resolve(__dirname, '../servers/skills2.ts'));
      const command = { command: process.execPath, args: [server], env: {} };
      const client = await connections.toCommand(command, { era });
      const { resources } = await client.listSkillFolder('skill://forms/references');
      assert.deepEqual(
        resources.map((each) => [each.uri, each.mimeType === 'inode/directory']),
        [
          ['skill://forms/references/FORMS.md', false],
          ['skill://forms/references/deep', true],
        ],
      );
    });
  }

  const read = async (client: McpClient, at: string) =>
    (await client.readResource(at, { isRefresh: true })).contents;
  const verdictOfRead = async (client: McpClient, skills: readonly Skill[], at: string) =>
    verifySkillFile(skills, at, await read(client, at));
});

describe('A server of skills', () => {
  afterEach(() => connections.close());

  const library = (server: ScriptedServer) => {
    const extensions = { 'io.modelcontextprotocol/skills': {} };
    server.capabilities = { tools: {}, resources: {}, extensions };
    server.tools = [{ name: 'received', inputSchema: { type: 'object' } }];
    const skillAt = (name: string, resources: unknown, description = name) => ({
      uri: `skill://team/${name}/SKILL.md`,
      frontmatter: { name, description },
      resources,
    });
    const outside = { uri: 'skill://team/x.md', digest: `sha256:${'0'.repeat(64)}`, size: 1 };
    const skills = [
      skillAt('forms', 'dynamic'),
      5,
      skillAt('other', [outside]),
      skillAt('twice', 'dynamic', 'one'),
      skillAt('twice', 'dynamic', 'other'),
    ];
    server.on('skills/list', (message) =>
      server.reply(message, { resultType: 'complete', skills, ttlMs: 0, cacheScope: 'private' }),
    );
  };
  const stateless = `(server) => { server.speakStateless(); (${String(library)})(server); }`;

  for (const [era, revision] of eras) {
    it(`is told apart from its bad entries, and none of its files is read before the user wants it (${revision})`, async () => {
      const client = await connections.to(era === 'stateless' ? stateless : library, { era });
      const { skills, problems } = await client.listSkills();
      const names = skills.map(({ name }) => name);
      assert.deepEqual(names, ['forms']);
      assert.deepEqual(
        problems.map((problem) => problem.code === 'unusableSkill' && problem.fault),
        ['uri', 'outside', 'repeated'],
      );
      // The server did not declare `directoryRead`, so it must not be asked.
      assert.deepEqual((await client.listSkillFolder('skill://team/forms')).resources, []);
      const methods = (await receivedBy(client)).map(({ method }) => String(method));
      assert.ok(methods.includes('skills/list'));
      assert.deepEqual(
        methods.filter((method) => method.startsWith('resources/')),
        [],
      );
    });
  }

  it('without the extension is not asked for skills', async () => {
    const client = await connections.to((server) => {
      server.tools = [{ name: 'received', inputSchema: { type: 'object' } }];
    });
    assert.deepEqual(await client.listSkills(), { skills: [], problems: [] });
    assert.ok(!(await receivedBy(client)).some(({ method }) => method === 'skills/list'));
  });
});

describe('An entry of a skill', () => {
  const [own] = wire.resources;
  const wrong: readonly (readonly [string, unknown, string])[] = [
    ['no object', [], 'uri'],
    ['another file', { ...wire, uri: 'skill://team/forms/README.md' }, 'uri'],
    ['no frontmatter', { ...wire, frontmatter: 'name: forms' }, 'frontmatter'],
    ['no description', { ...wire, frontmatter: { name: 'forms' } }, 'frontmatter'],
    [
      'the name of another skill',
      { ...wire, frontmatter: { ...wire.frontmatter, name: 'pdf' } },
      'name',
    ],
    ['no folder', { ...wire, uri: 'skill:///SKILL.md' }, 'name'],
    ['no list of files', { ...wire, resources: undefined }, 'files'],
    ['files without SKILL.md', { ...wire, resources: [] }, 'files'],
    ['a file twice', { ...wire, resources: [own, own] }, 'files'],
    [
      'a digest of another form',
      { ...wire, resources: [{ ...own, digest: 'sha256:AB' }] },
      'files',
    ],
    ['a negative size', { ...wire, resources: [{ ...own, size: -1 }] }, 'files'],
    [
      'a million files',
      { ...wire, resources: Array.from({ length: 1_000_000 }, () => own) },
      'files',
    ],
    ...[
      'skill://team/formsx/a.md',
      'skill://team/other/a.md',
      'file:///etc/passwd',
      'skill://team/forms/../other/a.md',
      'skill://team/forms/%2e%2E/other/a.md',
      'skill://team/forms/a%2f..%2f..%2fother',
      'skill://team/forms/a\\..\\..\\b',
      'skill://team/forms//a',
      'skill://team/forms/a?b',
      'skill://team/forms/%zz',
    ].map((at) => [at, { ...wire, resources: [own, file(at, 'x')] }, 'outside'] as const),
  ];
  for (const [what, value, fault] of wrong) {
    it(`is refused with ${what}`, () => assert.equal(parseSkill(value), fault));
  }

  it('may list a file of 1 GB, which no one has read', () => {
    const huge = { ...own, uri: 'skill://team/forms/huge.bin', size: 1024 ** 3 };
    const skill = skillOf({ ...wire, resources: [own, huge] });
    assert.equal(skill.files[1], skill.files.at(-1));
  });
});

describe('A file of a skill', () => {
  const [own] = wire.resources;

  it('is as listed, with the frontmatter for its SKILL.md', () => {
    assert.deepEqual(verdict(wire, text), { kind: 'asListed', isManifest: true });
    const part = 'skill://team/forms/a/b.md';
    assert.deepEqual(verdict(wire, 'b', part), { kind: 'asListed', isManifest: false });
    assert.equal(verifySkillFile([skillOf(wire)], 'skill://team/other/a.md', []), undefined);
  });

  it('is not verified with another size, digest or frontmatter, if it is not listed, and without content', () => {
    const evil = text.replace('Body', 'Evil');
    assert.deepEqual(verdict(wire, evil), {
      kind: 'digest',
      listed: digestOf(text),
      read: digestOf(evil),
    });
    assert.deepEqual(verdict(wire, `${text}!`), {
      kind: 'size',
      listed: text.length,
      read: text.length + 1,
    });
    const lying = { ...wire, frontmatter: { ...wire.frontmatter, license: 'MIT' } };
    assert.deepEqual(verdict(lying, text), { kind: 'frontmatter', field: 'license' });
    assert.deepEqual(verdict({ ...lying, resources: 'dynamic' }, text), {
      kind: 'frontmatter',
      field: 'license',
    });
    assert.equal(verdict(wire, 'c', 'skill://team/forms/c.md')?.kind, 'unlisted');
    const [skill, one] = [skillOf(wire), { uri, text }];
    for (const contents of [[], [{ uri }], [one, one]]) {
      assert.equal(verifySkillFile([skill], uri, contents)?.kind, 'noContent');
    }
  });

  it('of a skill without digests is compared by its frontmatter alone', () => {
    const dynamic = { ...wire, resources: 'dynamic' };
    assert.deepEqual(verdict(dynamic, `${text}More`), { kind: 'dynamic' });
    assert.deepEqual(verdict(dynamic, 'no frontmatter'), { kind: 'frontmatter' });
  });

  it('is verified by its bytes, whether it came as text or as Base64', () => {
    const blob = Buffer.from(text).toString('base64');
    for (const content of [{ blob }, { blob: Buffer.from(text) }, { text: Buffer.from(text) }]) {
      const read = verifySkillFile([skillOf(wire)], uri, [{ uri, ...content }]);
      assert.equal(read?.kind, 'asListed');
    }
  });

  it('of nested skills is verified for each of them', () => {
    const nested = 'skill://team/forms/more/SKILL.md';
    const inner = text.replace('name: forms', 'name: more');
    const outerSkill = skillOf({ ...wire, resources: [own, file(nested, 'another text')] });
    const innerSkill = skillOf({
      uri: nested,
      frontmatter: { name: 'more', description: 'About forms' },
      resources: [file(nested, inner)],
    });
    const both = [outerSkill, innerSkill];
    assert.equal(verifySkillFile(both, nested, [{ uri: nested, text: inner }])?.kind, 'size');
    const fixed = skillOf({ ...wire, resources: [own, file(nested, inner)] });
    assert.deepEqual(verifySkillFile([fixed, innerSkill], nested, [{ uri: nested, text: inner }]), {
      kind: 'asListed',
      isManifest: true,
    });
  });
});

describe('The frontmatter of a SKILL.md', () => {
  it('is read as YAML 1.2, whatever its style', () => {
    const read = readFrontmatter(
      '\uFEFF---\r\nname: "a"\r\ndescription: |\r\n  One\r\n  two\r\nyes: no\r\ndate: 2026-01-01\r\n' +
        "n: 1.0\r\nlist: [x, 'y']\r\nmetadata:\r\n  deep: {er: ~}\r\n---\r\nBody",
    );
    assert.deepEqual(read, {
      name: 'a',
      description: 'One\ntwo\n',
      yes: 'no',
      date: '2026-01-01',
      n: 1,
      list: ['x', 'y'],
      metadata: { deep: { er: null } },
    });
  });

  it('counts as none if it is no map, does not end, is too long, uses aliases or runs code', () => {
    const aliases = 'a: &a [1, 1]\nb: &b [*a, *a]\nc: [*b, *b]';
    const deep = `a: ${'['.repeat(30_000)}`;
    const texts = ['- a', 'a: 1\na: 2', aliases, deep, 'a: !!js/function x', 'a: "'];
    for (const yaml of texts) assert.equal(readFrontmatter(`---\n${yaml}\n---\n`), undefined, yaml);
    assert.equal(readFrontmatter('---\na: 1\n'), undefined);
    assert.equal(readFrontmatter('# Title\n---\na: 1\n---\n'), undefined);
    const long = `---\nname: forms\ndescription: About forms\nmore: ${'x'.repeat(70_000)}\n---\n`;
    const dynamic = { ...wire, resources: 'dynamic' };
    assert.deepEqual(verdict(dynamic, long), { kind: 'frontmatter' });
  });

  it('cannot change the prototype of what is compared', () => {
    const read = readFrontmatter('---\n__proto__: {name: forms}\n---\n');
    assert.deepEqual(Object.keys(read ?? {}), ['__proto__']);
    const listed = { ...wire, resources: 'dynamic' };
    const sly = '---\n__proto__: {name: forms, description: About forms}\n---\n';
    assert.deepEqual(verdict(listed, sly), { kind: 'frontmatter', field: 'name' });
  });
});
