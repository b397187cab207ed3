import assert from 'node:assert/strict';
import { RememberedResources } from '../../src/host/resources/serverLists';

function memory(stored?: unknown) {
  const values = new Map<string, unknown>([['openResources', stored]]);
  return {
    get: (key: string) => values.get(key),
    update: async (key: string, value: unknown) => {
      // What is kept is JSON.
      values.set(key, JSON.parse(JSON.stringify(value)));
    },
  };
}
const pond = {
  serverId: 'garden',
  uri: 'a:pond',
  path: '/garden/resources/pond',
  files: ['pond.mcptxt'],
};
const asItIs = (text: string) => text;

describe('The resources that were open in the last session', () => {
  it('are known by their path in the next session, until they are closed', () => {
    const kept = memory();
    const before = new RememberedResources(kept, asItIs);
    before.remember({ ...pond, files: ['old.mcptxt'] });
    before.remember(pond);
    before.remember({ ...pond, uri: 'a:b', path: '/garden/resources/b' });
    const after = new RememberedResources(kept, asItIs);
    assert.deepEqual(after.at(pond.path), pond);
    after.forget('/garden/resources/b');
    assert.deepEqual(new RememberedResources(kept, asItIs).all, [pond]);
  });

  it('are removed from the oldest on above a hundred', () => {
    const remembered = new RememberedResources(memory(), asItIs);
    for (let n = 0; n < 101; n += 1) {
      remembered.remember({ ...pond, uri: `a:${n}`, path: `/garden/resources/${n}` });
    }
    assert.equal(remembered.all.length, 100);
    assert.equal(remembered.at('/garden/resources/0'), undefined);
  });

  it('are not stored with a URI that contains a secret, or is very long', () => {
    const remembered = new RememberedResources(memory(), (text) =>
      text.replace('hunter22', '(secret)'),
    );
    remembered.remember({ ...pond, uri: 'a:pond?key=hunter22' });
    remembered.remember({ ...pond, uri: `a:${'x'.repeat(8_000)}` });
    assert.deepEqual(remembered.all, []);
  });

  it('omit damaged entries, and names that lead elsewhere', () => {
    const stored = [
      pond,
      null,
      'text',
      { ...pond, path: '/garden/calls/x' },
      { ...pond, path: '/garden/resources/a/b' },
      { ...pond, files: ['../../x'] },
      { ...pond, files: ['..'] },
      { ...pond, files: ['report.ipynb'] },
      { ...pond, files: ['pond.txt'] },
      { ...pond, files: 'pond.mcptxt' },
      { ...pond, uri: 1 },
      { ...pond, serverId: undefined },
    ];
    assert.deepEqual(new RememberedResources(memory(stored), asItIs).all, [pond]);
    assert.deepEqual(new RememberedResources(memory({ length: 3 }), asItIs).all, []);
  });
});
