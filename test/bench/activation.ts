import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import manifest from '../../package.json';
import { runCommand } from '../page/quickInput';
import { closeSharedChromium } from '../vscode/profile';
import { openWindow } from '../vscode/window';

// `npm run bench:activation`: how long the extension of dist/ takes to be activated, as Running
// Extensions shows it, beside JSON Language Features in the same window, and beside an extension that
// does nothing, is activated by the same events and stands right before ours in VS Code's order. What
// is shown counts from the moment at which VS Code begins with all that an event activates, so that
// the empty one's time is what ours waits for others, and only the rest is ours. Medians of a few windows.
const windows = Number(process.env.TOOLGATE_BENCH_WINDOWS ?? 5);
const beside = 'JSON Language Features';
const empty = 'empty';
/** VS Code counts a window as started a few seconds after it can be used. */
const startedMs = 8_000;

/** Writes the extension that does nothing. */
function writeEmpty(folder: string): void {
  const { activationEvents, engines } = manifest;
  const own = { name: empty, publisher: empty, version: '1.0.0', displayName: empty };
  const text = JSON.stringify({ ...own, engines, activationEvents, main: './main.js' });
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'package.json'), text);
  writeFileSync(path.join(folder, 'main.js'), 'exports.activate = () => undefined;\n');
}

/** Milliseconds by the name of the extension. */
async function activationTimes(page: Page): Promise<Map<string, number>> {
  await runCommand(page, 'Developer: Show Running Extensions');
  const rows = page.locator('.runtime-extensions-editor .monaco-list-row');
  await rows.first().waitFor();
  const texts = await rows.allInnerTexts();
  return new Map(
    texts.flatMap((text) => {
      const [name = ''] = text.split('\n');
      const [, ms] = /Activation: (\d+)ms/.exec(text) ?? [];
      return ms === undefined ? [] : [[name.trim(), Number(ms)] as const];
    }),
  );
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function main(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'activation-'));
  const emptyFolder = path.join(mkdtempSync(path.join(tmpdir(), 'activation-')), empty);
  writeEmpty(emptyFolder);
  writeFileSync(path.join(folder, 'some.json'), '{}\n');
  const shown: number[] = [];
  const waited: number[] = [];
  const ratios: number[] = [];
  try {
    for (let at = 0; at < windows; at += 1) {
      const window = await openWindow({
        folder,
        viewport: { width: 1280, height: 1400 },
        linkedExtensions: [emptyFolder],
      });
      try {
        await runCommand(window.page, 'Preferences: Open User Settings (JSON)');
        await window.page.waitForTimeout(startedMs);
        const times = await activationTimes(window.page);
        const mine = times.get('toolgate.toolgate') ?? Number.NaN;
        shown.push(mine);
        waited.push(times.get(empty) ?? Number.NaN);
        ratios.push(mine / (times.get(beside) ?? Number.NaN));
        console.log([...times].map(([name, ms]) => `${name} ${ms}`).join(', '));
      } finally {
        await window.close();
      }
    }
  } finally {
    await closeSharedChromium();
    for (const each of [folder, path.dirname(emptyFolder)]) rmSync(each, { recursive: true });
  }
  const own = median(shown.map((ms, at) => ms - (waited[at] ?? Number.NaN)));
  console.log(`activation: ${median(shown)} ms, ${median(ratios).toFixed(2)} x ${beside}`);
  console.log(`an empty extension before it: ${median(waited)} ms; so ours alone: ${own} ms`);
}

void main();
