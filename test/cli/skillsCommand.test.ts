import assert from 'node:assert/strict';
import path from 'node:path';
import { bundled } from '../servers/bundled';
import { scripted } from '../servers/scripted';
import { projectRoot, runCommand, servers, useWorkspaces } from './program';

const workspace = useWorkspaces();

/** Serves one skill as it is listed, and others that differ from their entries. */
const stale = scripted((server) => {
  const text = '---\nname: a\ndescription: About a\n---\nDo it.\n';
  const digest = ['sha256:', '0'.repeat(64)].join('');
  const entry = (name: string, resources: unknown) => ({
    uri: ['skill://', name, '/SKILL.md'].join(''),
    frontmatter: { name, description: 'About a' },
    resources,
  });
  const listed = (name: string, size: number) => [
    { uri: ['skill://', name, '/SKILL.md'].join(''), digest, size },
  ];
  server.capabilities = {
    tools: {},
    resources: {},
    extensions: { 'io.modelcontextprotocol/skills': {} },
  };
  const skills = [
    entry('a', 'dynamic'),
    entry('b', 'dynamic'),
    entry('c', listed('c', 3)),
    entry('d', listed('d', text.length)),
    entry('gone', 'dynamic'),
    { uri: 'nothing' },
  ];
  server.on('skills/list', (message) => server.reply(message, { skills }));
  server.on('resources/read', (message) => {
    const uri = String(message.params?.['uri']);
    if (uri.includes('gone')) server.fail(message, -32_002, 'no such file');
    else server.reply(message, { contents: [{ uri, text }] });
  });
});

describe('toolgate skills', () => {
  const skills2 = {
    command: process.execPath,
    args: [bundled(path.join(projectRoot, 'test/servers/skills2.ts'))],
  };
  const folderOf = () =>
    workspace({ '.mcp.json': { mcpServers: { stale, skills2, echo: servers.echo } } });

  it('lists the skills of a server whose files are as listed', async () => {
    const { code, stdout, stderr } = await runCommand(folderOf(), ['skills', 'skills2']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^✓ skill:\/\/forms\/SKILL\.md {2}About forms \(files: 3\)$/m);
    assert.match((await runCommand(folderOf(), ['skills', 'echo'])).stdout, /^echo: no skills$/m);
  });

  it('fails with each file that differs from its entry', async () => {
    const folder = folderOf();
    const { code, stdout, stderr } = await runCommand(folder, ['skills', 'stale']);
    assert.equal(code, 1);
    assert.match(stderr, /lists a skill that cannot be used: nothing/);
    assert.match(stdout, /^✓ skill:\/\/a\/SKILL\.md {2}About a \(files not listed\)$/m);
    assert.match(stdout, /b\/SKILL\.md has another "name" in its frontmatter than is listed\./);
    assert.match(stdout, /c\/SKILL\.md has 44 bytes, but 3 are listed\./);
    assert.match(stdout, /d\/SKILL\.md does not have the listed digest\./);
    assert.match(stdout, /gone\/SKILL\.md: it answered with an error .*no such file/);
    const json = await runCommand(folder, ['skills', 'stale', '--json']);
    const [fine, wrong] = JSON.parse(json.stdout).skills;
    assert.deepEqual(fine, {
      uri: 'skill://a/SKILL.md',
      name: 'a',
      description: 'About a',
      files: 'dynamic',
      problems: [],
    });
    assert.equal(wrong.problems.length, 1);
  });

  it('takes one server', async () => {
    const { code, stderr } = await runCommand(folderOf(), ['skills']);
    assert.deepEqual([code, /skills takes one server/.test(stderr)], [2, true]);
  });
});
