import assert from 'node:assert/strict';
import { CancellationToken, CancellationTokenSource } from 'vscode-jsonrpc/node';
import { LinkedCancellationSource } from '../../src/core/rpc/cancellation';

describe('A linked cancellation', () => {
  it('follows each of its tokens, also one that is cancelled already', () => {
    const [one, other] = [new CancellationTokenSource(), new CancellationTokenSource()];
    const linked = new LinkedCancellationSource(one.token, undefined, other.token);
    let count = 0;
    linked.token.onCancellationRequested(() => (count += 1));
    other.cancel();
    one.cancel();
    assert.equal(linked.token.isCancellationRequested, true);
    assert.equal(count, 1);
    const late = new LinkedCancellationSource(CancellationToken.None, one.token);
    assert.equal(late.token.isCancellationRequested, true);
  });

  it('cancels none of them, and follows none after it is disposed of', () => {
    const outer = new CancellationTokenSource();
    const [cancelled, disposed] = [
      new LinkedCancellationSource(outer.token),
      new LinkedCancellationSource(outer.token),
    ];
    cancelled.cancel();
    assert.equal(outer.token.isCancellationRequested, false);
    const { token } = disposed;
    disposed.dispose();
    outer.cancel();
    assert.equal(token.isCancellationRequested, false);
  });
});
