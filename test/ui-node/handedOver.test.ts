import assert from 'node:assert/strict';
import type { JsonValue } from '../../src/core/json/jsonValue';
import { RawJson } from '../../src/core/json/rawJson';
import { exactNumber, numberOf } from '../../src/core/json/writtenNumber';
import type { CallOutcome } from '../../src/host/calls/call';
import { ServerRegistry } from '../../src/host/connections/registry';
import type { Gate } from '../../src/host/calls/gate';
import { ExtensionApi } from '../../src/ui/extensionApi';
import { silentLog } from '../silentLog';

const rows = Array.from({ length: 60_000 }, (_, id) => ({ id, name: 'größe "1"', tags: [] }));

/** What another extension gets of a call that brought this. */
async function handedOver(structuredContent: RawJson | JsonValue) {
  const result = { content: [], isError: false, structuredContent };
  // Only what is handed over counts here, not how it came about.
  const outcome = {
    kind: 'result',
    result,
    violations: [],
    durationMs: 1,
  } as unknown as CallOutcome;
  const gate = { call: () => Promise.resolve(outcome) } as unknown as Gate;
  const registry = new ServerRegistry({
    connect: () => Promise.reject(new Error('nobody starts one')),
    isTrusted: () => true,
    approve: () => Promise.resolve(true),
    logOf: () => silentLog,
  });
  const results = { keep: () => Promise.resolve(undefined), keepLater: () => undefined };
  const api = new ExtensionApi({ registry, gate, results });
  try {
    return await api.callTool({ server: 'a', tool: 'b' });
  } finally {
    api.dispose();
    await registry.stopAll();
  }
}

describe('The result for other extensions', () => {
  it('has the value of structured content that is kept as text', async () => {
    const kept = new RawJson([Buffer.from(JSON.stringify({ rows }))], 180_002);
    const { structuredContent, problems } = await handedOver(kept);
    assert.deepEqual(structuredContent, { rows });
    assert.deepEqual(problems, []);
  });

  it('has JavaScript numbers where they are exact, and texts with all digits otherwise', async () => {
    const numbers = ['1.0', '1e2', '9007199254740993', '1e400'];
    const texts = `{"numbers":[${numbers.join()}]}`;
    const { structuredContent } = await handedOver({ numbers: numbers.map(numberOf) });
    assert.deepEqual(structuredContent, {
      numbers: [1, 100, exactNumber('9007199254740993'), exactNumber('1e400')],
    });
    const kept = new RawJson([Buffer.from(texts)], 200_000);
    assert.deepEqual((await handedOver(kept)).structuredContent, structuredContent);
  });

  it('has a message if a value would need too much memory', async () => {
    const given = await handedOver(new RawJson([Buffer.from('[]')], 2_000_001));
    assert.equal('structuredContent' in given, false);
    assert.deepEqual(given.problems, [
      'The structured content has too many values (2000001). The result document contains all of them.',
    ]);
  });
});
