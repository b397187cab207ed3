import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Connections, textOf } from './connections';

const connections = new Connections();
const bin = (name: string) => path.resolve(__dirname, '../../node_modules/.bin', name);

describe('Real servers', function () {
  this.timeout(60_000);
  afterEach(() => connections.close());

  it('server-everything: tools, text, image, structured content, progress, resources', async () => {
    const command = { command: bin('mcp-server-everything'), args: ['stdio'], env: {} };
    const client = await connections.toCommand(command);
    assert.equal(client.revision, '2025-11-25');
    const { tools, problems } = await client.listTools();
    assert.deepEqual(problems, []);
    assert.ok(tools.length > 8 && tools.every((tool) => tool.callable));
    assert.equal(await textOf(client.callTool('echo', { message: 'grüße' })), 'Echo: grüße');

    const image = await client.callTool('get-tiny-image', {});
    assert.deepEqual(
      image.content.map((block) => block.type),
      ['text', 'image', 'text'],
    );
    const weather = await client.callTool('get-structured-content', { location: 'New York' });
    assert.equal(typeof Object(weather.structuredContent).temperature, 'number');

    const reports: number[] = [];
    await client.callTool(
      'trigger-long-running-operation',
      { duration: 0.2, steps: 4 },
      { onProgress: (report) => reports.push(report.progress) },
    );
    assert.deepEqual(reports, [1, 2, 3, 4]);

    const links = await client.callTool('get-resource-links', { count: 2 });
    const link = links.content.find((block) => block.type === 'resource_link');
    assert.ok(link?.type === 'resource_link');
    const [contents] = await client.readResource(link.uri);
    assert.equal(contents?.uri, link.uri);
  });

  it('server-filesystem: reads what it may, refuses what it may not', async () => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'files-')));
    writeFileSync(path.join(folder, 'a.txt'), 'text of a');
    const command = { command: bin('mcp-server-filesystem'), args: [folder], env: {} };
    const client = await connections.toCommand(command);
    const { tools } = await client.listTools();
    assert.equal(
      tools.find((tool) => tool.name === 'read_text_file')?.annotations.readOnlyHint,
      true,
    );
    const read = (file: string) => client.callTool('read_text_file', { path: file });
    assert.equal(await textOf(read(path.join(folder, 'a.txt'))), 'text of a');
    assert.equal((await read('/etc/passwd')).isError, true);
    rmSync(folder, { recursive: true });
  });
});
