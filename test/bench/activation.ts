import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { runCommand } from '../page/quickInput';
import { closeSharedChromium } from '../vscode/profile';
import { openWindow } from '../vscode/window';

// `npm run bench:activation`: how long the extension of dist/ takes to be activated, as Running
// Extensions shows it, beside JSON Language Features in the same window. Medians of a few windows.
const windows = Number(process.env.TOOLGATE_BENCH_WINDOWS ?? 5);
const beside = 'JSON Language Features';

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
  writeFileSync(path.join(folder, 'some.json'), '{}\n');
  const own: number[] = [];
  const ratios: number[] = [];
  try {
    for (let at = 0; at < windows; at += 1) {
      const window = await openWindow({ folder, viewport: { width: 1280, height: 1400 } });
      try {
        await runCommand(window.page, 'Preferences: Open User Settings (JSON)');
        await window.page.waitForTimeout(3_000);
        const times = await activationTimes(window.page);
        const mine = times.get('toolgate.toolgate') ?? Number.NaN;
        own.push(mine);
        ratios.push(mine / (times.get(beside) ?? Number.NaN));
        console.log([...times].map(([name, ms]) => `${name} ${ms}`).join(', '));
      } finally {
        await window.close();
      }
    }
  } finally {
    await closeSharedChromium();
    rmSync(folder, { recursive: true });
  }
  console.log(`activation: ${median(own)} ms, ${median(ratios).toFixed(2)} x ${beside}`);
}

void main();
