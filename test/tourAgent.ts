import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { connectAgent } from './host/agentClients';
import { dismissDialog, readDialog } from './page/dialog';
import { eventually } from './waiting';
import type { TakePicture } from './tourCalls';

interface Place {
  /** The folder that is open in the window: by it the bridge finds the window. */
  readonly folder: string;
  readonly userFolder: string;
}

/** The question that an agent raises: one of the official SDK, through the bridge. */
export async function walkAgent(
  page: Page,
  { folder, userFolder }: Place,
  picture: TakePicture,
): Promise<void> {
  const gateway = path.join(userFolder, 'globalStorage/toolgate.toolgate/agents/gateway.js');
  await eventually(
    () => existsSync(gateway),
    (isThere) => isThere,
  );
  const bridge = { command: process.execPath, args: [gateway], cwd: folder };
  const agent = await connectAgent('SDK 1', bridge, 'claude-code');
  try {
    const given = { name: 'Carrots', text: 'Sow in rows, from March on.' };
    const answered = agent.call('demo__plant_note', given);
    await picture('agent', async () => {
      await readDialog(page);
    });
    await dismissDialog(page);
    await answered;
  } finally {
    await agent.close();
  }
}
