import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isMcpError, McpError } from '../../src/core/errors';
import { AuthScene } from './authScene';

describe('A sign-in that began without permission to ask', () => {
  let scene: AuthScene;
  /** Resolves when the first round has found that nobody may be asked. */
  let isFound: Promise<void>;
  let end = () => undefined as void;

  beforeEach(async () => {
    scene = await AuthScene.open();
    const { person } = scene;
    const ask = person.authorize.bind(person);
    const mayEnd = new Promise<void>((resolve) => (end = resolve));
    isFound = new Promise((resolve) => {
      person.authorize = async (...asked) => {
        if (!person.isAway) return ask(...asked);
        resolve();
        await mayEnd;
        throw new McpError('signInNeeded');
      };
    });
    person.isAway = true;
  });
  afterEach(() => scene.close());

  const needed = (error: unknown) => isMcpError(error, 'signInNeeded');

  it('is started again for a caller who joined it and may ask', async () => {
    const first = assert.rejects(scene.refused(), needed);
    await isFound;
    scene.person.isAway = false;
    const joined = scene.refused();
    await nextTurn(); // Nothing but promises is between the refusal and the joining.
    end();
    await first;
    await joined;
    assert.equal(scene.person.questions.length, 1);
    assert.equal(scene.grant?.accessToken, 'given');
  });

  it('is tried once more for all callers who joined it, still without a question', async () => {
    const first = assert.rejects(scene.refused(), needed);
    await isFound;
    const joined = [scene.refused(), scene.refused()].map((each) => assert.rejects(each, needed));
    const silent = assert.rejects(scene.refused('Bearer', { isBackground: true }), needed);
    await nextTurn();
    end();
    await Promise.all([first, ...joined, silent]);
    const rounds = scene.mcp.paths.filter((path) => path.includes('oauth-protected-resource'));
    assert.equal(rounds.length, 2);
    assert.deepEqual(scene.person.questions, []);
  });
});
