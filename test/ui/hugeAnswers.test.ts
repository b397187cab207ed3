import assert from 'node:assert/strict';
import path from 'node:path';
import { settings } from '../../src/ids';
import { busiestCount } from '../workCount';
import { set, useWindow } from './realWindow';

const large = 64 * 1024 * 1024;
/** A step for every 64 bytes would be as many; what walks an answer byte by byte takes 64 times more. */
const mostSteps = large / 64;
/** Bytes of a picture are handed over as they are. */
const members = { text64: ['text', large], image64: ['data', (large / 4) * 3] } as const;

/** In the real extension, as another one calls a tool. */
describe('An answer of 64 MiB for another extension', () => {
  const { extension } = useWindow({ hasAnswers: false });

  before(async () => {
    await set(settings.rules, [{ effect: 'allow', server: '*' }]);
    const script = path.join(extension.path, 'test', 'bench', 'server.mjs');
    const env = { ELECTRON_RUN_AS_NODE: '1' };
    const entryOf = (mode: string) => ({ command: process.execPath, args: [script, mode], env });
    await extension.configure({ text64: entryOf('text64'), image64: entryOf('image64') });
  });
  after(() => set(settings.rules, undefined));

  for (const [server, [member, expected]] of Object.entries(members)) {
    it(`is handed over in steps that do not grow with its bytes: ${server}`, async () => {
      await extension.api.start(server);
      const call = { server, tool: 'echo', arguments: { text: 'x' } };
      let length: unknown;
      // Tests before this one leave secrets in the window, for which texts are looked through.
      const search = /^hashOf\d*$/;
      const isOurs = /\/dist\/(?:chunks\/)?[\w-]+\.js$/;
      const work = async (): Promise<void> => {
        const { kind, content, error } = await extension.api.callTool(call);
        assert.equal(kind, 'result', error?.message);
        const [block] = content ?? [];
        length = Object(block)[member]?.length;
      };
      const count = await busiestCount(work, isOurs, search);
      assert.equal(length, expected);
      assert.ok(count > 0 && count < mostSteps, `${count} steps`);
      await extension.api.stop(server);
    });
  }
});
