import assert from 'node:assert/strict';
import { RowExpander } from '../../src/ui/tree/autoExpand';
import type { ServerRow } from '../../src/ui/tree/treeRows';

describe('The row of a server that has started', () => {
  const row = { kind: 'server', serverId: 'garden' } as ServerRow;
  /** What VS Code does at each try. */
  let onReveal: () => void;
  let tries: number;
  let opener: RowExpander;
  const view = {
    visible: true,
    reveal: () => {
      tries += 1;
      onReveal();
      return Promise.resolve();
    },
  };

  beforeEach(() => {
    tries = 0;
    view.visible = true;
    onReveal = () => undefined;
    opener = new RowExpander(view, 1);
  });
  afterEach(() => opener.dispose());

  it('is expanded once if VS Code confirms it', async () => {
    onReveal = () => opener.opened('garden');
    await opener.open(row);
    assert.equal(tries, 1);
  });

  it('is expanded again if VS Code loses the request, but not forever', async () => {
    onReveal = () => {
      if (tries === 2) opener.opened('garden');
    };
    await opener.open(row);
    assert.equal(tries, 2);
    onReveal = () => undefined;
    await opener.open(row);
    assert.equal(tries, 5);
  });

  it('stays unchanged if the view was hidden meanwhile', async () => {
    onReveal = () => (view.visible = false);
    await opener.open(row);
    assert.equal(tries, 1);
  });

  it('is not expanded if it no longer exists', async () => {
    onReveal = () => {
      throw new Error('gone');
    };
    await assert.rejects(opener.open(row), /gone/);
  });
});
