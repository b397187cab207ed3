import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { iconLines, ServerIcons } from '../../src/ui/tree/serverIcons';
import { settings } from '../../src/ids';
import { eventually } from '../waiting';
import { HttpServer } from '../servers/httpServer';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const src = `data:image/png;base64,${png}`;

describe('The icon of a server in a tooltip', () => {
  const configuration = () => vscode.workspace.getConfiguration(settings.section);
  const set = (value: boolean | undefined, setting: string = settings.showIcons) =>
    configuration().update(setting, value, vscode.ConfigurationTarget.Global);
  afterEach(async () => {
    await set(undefined);
    await set(undefined, settings.fetchIcons);
  });

  it('is the picture that came along, and says that it is no sign of a risk', () => {
    assert.deepEqual(iconLines([{ src: 'https://a.b/c.png' }, { src }]), [
      `The icon that the server chose; it says nothing about the risk: ![](${src}|width=24,height=24)`,
    ]);
  });

  it('is not there where none came along, or the setting says no', async () => {
    assert.deepEqual(iconLines([{ src: 'https://a.b/c.png' }]), []);
    assert.deepEqual(iconLines(undefined), []);
    await set(false);
    assert.deepEqual(iconLines([{ src }]), []);
    assert.deepEqual(iconLines([{ src: 'https://a.b/c.png' }], { src }), []);
  });

  it('is fetched from its server only where the person allows it, and none came along', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'icons-'));
    const server = await HttpServer.start((_, response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from(png, 'base64'));
    });
    try {
      const icons = new ServerIcons({ globalStorageUri: vscode.Uri.file(folder) });
      const theirs = [{ src: new URL('/icon.png', server.url).href }];
      const http = { reach: { kind: 'http', url: server.url, headers: {} } } as const;
      const stdio = { reach: { kind: 'stdio', command: 'x', args: [], env: {} } } as const;
      assert.equal(await icons.fetch(theirs, http), undefined);
      await set(true, settings.fetchIcons);
      assert.equal(await icons.fetch(theirs, stdio), undefined);
      assert.equal(await icons.fetch([...theirs, { src }], http), undefined);
      await set(false);
      assert.equal(await icons.fetch(theirs, http), undefined);
      await set(undefined);
      assert.equal(server.received.length, 0);
      // A tooltip waits a second at most, and has the picture the next time.
      const fetched = await eventually(
        () => icons.fetch(theirs, http),
        (icon) => icon !== undefined,
      );
      assert.deepEqual(fetched, { src });
      assert.equal(server.received.length, 1);
      assert.match(iconLines(theirs, fetched).join(), /!\[\]\(data:image\/png;base64,/);
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
