import type { Page } from 'playwright-core';
import { pressDialog } from './page/dialog';
import { clearNotifications } from './page/notifications';
import { callLines, readTree } from './page/sideBar';
import { chooseTool, startAll, waitForInput } from './page/toolgate';
import { eventually } from './waiting';

/** Two calls that run as tasks, of which one asks and is left for later; the only server is `kitchen`. */
export async function walkTasks(
  page: Page,
  picture: (name: string) => Promise<void>,
): Promise<void> {
  // VS Code Server asks whoever serves it for the key by which it keeps secrets in the browser.
  await page.route('**/mint-key', (route) => route.fulfill({ body: Buffer.alloc(32, 7) }));
  await eventually(
    () => readTree(page),
    ([first, ...others]) => first?.label === 'kitchen' && others.length === 0,
  );
  await startAll(page, 1);
  await chooseTool(page, 'Long Work');
  await pressDialog(page, 'Run');
  await eventually(
    () => callLines(page),
    ([first = '']) => first.includes('task ·'),
  );
  await chooseTool(page, 'Asking Work');
  await pressDialog(page, 'Run');
  await waitForInput(page, 'Server “kitchen” asks you');
  await page.keyboard.press('Escape');
  await eventually(
    () => callLines(page),
    (lines) => lines.some((line) => line.includes('task asks you')),
  );
  await clearNotifications(page);
  await picture('tasks');
}
