import type { Context } from 'mocha';
import { closeSharedChromium } from '../vscode/profile';
import { openWindows } from '../vscode/window';

/** A failing test leaves a picture and the console of every open window in test/results/. */
export const mochaHooks = {
  async afterEach(this: Context): Promise<void> {
    const test = this.currentTest;
    if (test?.state !== 'failed') return;
    for (const window of openWindows) await window.saveEvidence(test.fullTitle());
  },
  // A suite that forgot to close one would keep Mocha from ending.
  async afterAll(): Promise<void> {
    for (const window of openWindows) await window.close();
  },
};

/** Once, after the last file; where files have processes of their own, the browsers end with those. */
export const mochaGlobalTeardown = closeSharedChromium;
