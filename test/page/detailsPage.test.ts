import assert from 'node:assert/strict';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { projectFolder } from '../vscode/paths';
import { makeTemporaryFolder } from '../vscode/server';
import { buildVsix } from '../vscode/vsix';
import { openWindow, type VscodeWindow } from '../vscode/window';
import { openView } from './sideBar';
import { eventually, exactly } from './waiting';
import { makeWorkspace, type Workspace } from './workspace';

/** Nobody has this name; the test answers for it with the pictures of the project. */
const address = 'https://pictures.example/toolgate/';
const picturesOfFront = ['tree-dark', 'dialog-dark', 'result-light', 'agent-dark'];

interface Picture {
  readonly source: string;
  readonly words: string;
  readonly width: number;
}

/** All pictures of the README, as they were loaded. */
async function readPictures(frame: Frame): Promise<Picture[]> {
  const pictures = await frame.locator('img').all();
  return Promise.all(
    pictures.map(async (picture) => ({
      source: (await picture.getAttribute('src')) ?? '',
      words: (await picture.getAttribute('alt')) ?? '',
      width: await picture.evaluate((image) => Number(Reflect.get(image, 'naturalWidth'))),
    })),
  );
}

/** Where the heading of a page of the manual stands below the upper edge of what is seen. */
function topOf(frame: Frame, heading: string): Promise<number> {
  return frame
    .locator('h1', { hasText: exactly(heading) })
    .evaluate((found) => Number(found.getBoundingClientRect().top));
}

/** Opens the page of the extension as a person does; gives the frame with its README. */
async function openDetails(page: Page): Promise<Frame> {
  await openView(page, 'Extensions');
  const row = page.locator('.extensions-list .monaco-list-row', { hasText: 'Toolgate' });
  await row.first().click();
  await page.locator('.extension-editor').waitFor();
  const found = await eventually(
    async () => {
      for (const frame of page.frames()) {
        const title = frame.locator('h1', { hasText: exactly('Toolgate') });
        if (frame !== page.mainFrame() && (await title.count()) === 1) return frame;
      }
      return undefined;
    },
    (frame) => frame !== undefined,
  );
  assert.ok(found !== undefined);
  return found;
}

describe("VS Code's own page of the extension, from the package", function () {
  this.timeout(120_000);
  const { folder, remove } = makeTemporaryFolder('details');
  let workspace: Workspace;
  let window: VscodeWindow;
  let readme: Frame;

  before(async () => {
    const { file } = await buildVsix(folder, { TOOLGATE_PICTURES: address });
    workspace = makeWorkspace();
    window = await openWindow({ folder: workspace.folder, vsix: file });
    await window.page.context().route(`${address}**`, (route) =>
      route.fulfill({
        path: path.join(projectFolder, route.request().url().slice(address.length)),
      }),
    );
    readme = await openDetails(window.page);
  });
  after(async () => {
    await window?.close();
    workspace?.remove();
    remove();
  });

  it('shows every picture of the front page and of the manual', async () => {
    const pictures = await eventually(
      () => readPictures(readme),
      (all) => all.length > picturesOfFront.length && all.every(({ width }) => width > 0),
    );
    assert.deepEqual(
      pictures.slice(0, picturesOfFront.length).map(({ source }) => source),
      picturesOfFront.map((name) => `${address}media/screenshots/${name}.png`),
    );
    assert.deepEqual(
      pictures.filter(({ words }) => words === ''),
      [],
    );
  });

  it('has no link that leads nowhere', async () => {
    const ids = new Set(
      await readme.locator('[id]').evaluateAll((all) => all.map(({ id }) => String(id))),
    );
    const links = await readme.locator('a:not([id])').evaluateAll((all) =>
      all.map((link) => ({
        words: String(link.textContent),
        target: String(link.getAttribute('href')),
      })),
    );
    assert.ok(links.length > 40, `${links.length} links`);
    const leadsOn = (target: string) =>
      target.startsWith('https:') || ids.has(decodeURIComponent(target).slice(1));
    assert.deepEqual(
      links.filter(({ target }) => !leadsOn(target)),
      [],
    );
  });

  it('leads from the table to a page of the manual', async () => {
    assert.ok((await topOf(readme, 'Servers')) > 1000);
    await readme.locator('td a', { hasText: exactly('Servers') }).click();
    const top = await eventually(
      () => topOf(readme, 'Servers'),
      (now) => now < 300,
    );
    assert.ok(top >= 0, `${top}`);
  });
});
