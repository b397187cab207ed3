import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FetchedIcons } from '../../src/host/icons/fetchedIcons';
import { IconCache } from '../../src/host/icons/iconCache';
import { HttpServer } from '../servers/httpServer';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const day = 24 * 60 * 60 * 1_000;

describe('Fetched icons', () => {
  let folder: string;
  let server: HttpServer;
  let now = 0;
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'icons-'));
    now = Date.now();
    server = await HttpServer.start(({ path: asked }, response) => {
      const isThere = asked.startsWith('/good');
      response.writeHead(isThere ? 200 : 404, { 'content-type': 'image/png' }).end(png);
    });
  });
  afterEach(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const cache = () => new IconCache(path.join(folder, 'icons'), () => now);
  const files = () => readdirSync(path.join(folder, 'icons'));
  const iconOf = (icons: FetchedIcons, ...names: readonly string[]) => {
    const all = names.map((name) => ({ src: new URL(`/${name}.png`, server.url).href }));
    return icons.iconOf(all, 'dark', server.url);
  };
  const src = `data:image/png;base64,${png.toString('base64')}`;

  it('are asked for once, and kept over restarts for a week', async () => {
    const icons = new FetchedIcons(cache());
    const both = await Promise.all([iconOf(icons, 'good'), iconOf(icons, 'good')]);
    assert.deepEqual(both, [{ src }, { src }]);
    now += 6 * day;
    assert.deepEqual(await iconOf(new FetchedIcons(cache()), 'good'), { src });
    assert.equal(server.received.length, 1);
    now += 2 * day;
    assert.deepEqual(await iconOf(new FetchedIcons(cache()), 'good'), { src });
    assert.equal(server.received.length, 2);
  });

  it('that fail are not asked for at every look, and another one is taken', async () => {
    const icons = new FetchedIcons(cache());
    assert.deepEqual(await iconOf(icons, 'bad', 'good'), { src });
    assert.deepEqual(await iconOf(icons, 'bad', 'good'), { src });
    assert.equal(await iconOf(icons, 'bad'), undefined);
    assert.deepEqual(
      server.received.map(({ path: asked }) => asked),
      ['/bad.png', '/good.png'],
    );
  });

  it('that are damaged on disk are fetched again', async () => {
    await iconOf(new FetchedIcons(cache()), 'good');
    const [file = ''] = files();
    truncateSync(path.join(folder, 'icons', file), 10);
    assert.deepEqual(await iconOf(new FetchedIcons(cache()), 'good'), { src });
    assert.equal(server.received.length, 2);
  });

  it('are kept up to two hundred, the newest of them', async () => {
    for (let count = 0; count < 205; count += 1) {
      now += 1_000;
      await cache().put(`https://a.b/${count}`, png);
    }
    assert.equal(files().length, 200);
    assert.equal(await cache().get('https://a.b/4'), undefined);
    assert.deepEqual(await cache().get('https://a.b/5'), png);
  });

  it('are shown where they cannot be kept', async () => {
    rmSync(folder, { recursive: true });
    const icons = new FetchedIcons(new IconCache(path.join(folder, '\0'), () => now));
    assert.deepEqual(await iconOf(icons, 'good'), { src });
    folder = mkdtempSync(path.join(tmpdir(), 'icons-'));
  });
});
