import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { editorText, waitForTab } from './editors';
import { pick, runCommand } from './quickInput';
import { chooseFromRowMenu } from './sideBar';
import { approveServers, closeEditors, openToolgate } from './toolgate';
import { eventually } from './waiting';
import { useWindow } from './window';

describe('Diagnose Server', function () {
  this.timeout(60_000);
  let page: Page;

  useWindow(
    {
      servers: (own) => ({
        hanging: own.steered('hanging', 'silent'),
        steered: own.steered('steered'),
      }),
      settings: { 'toolgate.connections.startTimeoutMs': 4_000 },
    },
    async (opened) => {
      ({ page } = opened);
      await openToolgate(page);
    },
  );

  const lenses = () => page.locator('.codelens-decoration').allInnerTexts();

  it('asks before it starts the program, and fills a document step by step', async () => {
    await chooseFromRowMenu(page, 'hanging', 'Diagnose Server…');
    await approveServers(page);
    await waitForTab(page, 'hanging.mcptext');
    await eventually(lenses, (all) => all.join().includes('Cancel'));
    const text = await eventually(
      () => editorText(page),
      (now) => now.includes('The first step that failed: handshake.'),
    );
    assert.match(text, /✓ Pass: program found/);
    assert.match(text, /✓ Pass: process runs/);
    assert.match(text, /No answer to the question/);
    await eventually(
      lenses,
      (all) => all.join().includes('Copy') && !all.join().includes('Cancel'),
    );
  });

  it('walks a server that works to the end, from the palette', async () => {
    await closeEditors(page);
    await runCommand(page, 'Toolgate: Diagnose Server…');
    await pick(page, 'steered');
    await approveServers(page);
    await waitForTab(page, 'steered.mcptext');
    // One of its schemas refers to something that is not there.
    await eventually(
      () => editorText(page),
      (now) => now.includes('The first step that failed: schemas compile.'),
    );
  });
});
