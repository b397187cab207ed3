import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { closeSharedChromium, takeProfile, type Profile } from './vscode/profile';

// What a page of one window leaves behind, and what a page of the next at the same address finds.

const leave = `(async () => {
  localStorage.setItem('left', 'behind');
  document.cookie = 'left=behind; max-age=10000';
  await caches.open('left');
  await new Promise((resolve, reject) => {
    const request = indexedDB.open('left');
    request.onsuccess = () => resolve(request.result.close());
    request.onerror = reject;
  });
})()`;

const find = `(async () => ({
  items: localStorage.length,
  cookie: document.cookie,
  caches: await caches.keys(),
  databases: (await indexedDB.databases()).map(({ name }) => name),
}))()`;

const nothing = { items: 0, cookie: '', caches: [], databases: [] };
const everything = { items: 1, cookie: 'left=behind', caches: ['left'], databases: ['left'] };

describe('The profile of consecutive windows', () => {
  const requests: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requests.push(url);
    const header = { 'Content-Type': 'text/html', 'Cache-Control': 'public, max-age=31536000' };
    response.writeHead(200, header).end('<!doctype html><script src="/script.js"></script>');
  });
  let profile: Profile | undefined;

  after(async () => {
    await profile?.giveBack();
    await closeSharedChromium();
    server.close();
  });

  it('belongs to one window, and keeps only what was loaded from the one before', async () => {
    profile = await takeProfile();
    assert.ok(profile !== undefined);
    assert.equal(await takeProfile(), undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    const elsewhere = `http://127.0.0.1:${address.port}/`;
    const page = await profile.context.newPage();
    await profile.context.route('**/routed', (route) => route.fulfill({ body: 'routed' }));
    await page.goto(elsewhere);
    await page.evaluate(leave);
    assert.deepEqual(await page.evaluate(find), everything);
    await profile.giveBack();

    const { port } = profile;
    profile = await takeProfile();
    assert.ok(profile !== undefined);
    assert.deepEqual([profile.port, profile.context.pages()], [port, []]);
    const next = await profile.context.newPage();
    await next.goto(elsewhere);
    assert.deepEqual(await next.evaluate(find), nothing);
    const routed = await next.evaluate<string>("fetch('/routed').then((answer) => answer.text())");
    assert.match(routed, /doctype/);
    assert.equal(requests.filter((url) => url === '/script.js').length, 1);
  });
});
