import type { Page } from 'playwright-core';
import type { AuthorizationServer } from './fixtures/authorizationServer';
import { dismissDialog, readDialog } from './page/dialog';
import { pressRowAction, readTree } from './page/sideBar';
import { approveServers, waitForServer } from './page/toolgate';
import { eventually } from './waiting';

type Picture = (name: string, prepare?: () => Promise<void>) => Promise<void>;

/** What a server shows that wants a sign-in: the question before the browser, and its row after a no. */
export async function walkSignIn(page: Page, picture: Picture): Promise<void> {
  await eventually(
    () => readTree(page),
    (rows) => rows.length === 1,
  );
  await pressRowAction(page, 'docs', 'Connect');
  await approveServers(page);
  await picture('signIn', async () => {
    await readDialog(page);
  });
  await dismissDialog(page);
  await waitForServer(page, 'docs', /sign-in required/);
  await picture('signInRow');
}

/** Scopes make the question worth reading. */
export async function askForScopes(servers: AuthorizationServer): Promise<void> {
  await servers.change({ challengeScopes: ['files:read', 'files:write'] });
}
