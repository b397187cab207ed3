import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { parseGrant } from '../../src/host/consent/grants/grant';
import { parseOverride } from '../../src/host/consent/grants/overrides';
import { parseStartFacts } from '../../src/host/consent/trust/startFacts';
import { parsePastCall } from '../../src/host/history/pastCall';
import { parseLastTools } from '../../src/host/lastTools/lastTools';
import { readLine, toLine } from '../../src/host/journal/journalLine';
import { parseContent } from '../../src/host/journal/entry';
import { parseStoredTask } from '../../src/host/tasks/storedTasks';
import { parseRecordBytes, recordText } from '../../src/host/storage/recordFile';
import { fuzz } from './fuzzing';
import { mutatedText, mutatedValue } from './mutations';

const print = 'a'.repeat(64);
const server = { id: 'a', label: 'A', fingerprint: print };
const decision = { effect: 'ask', cause: { kind: 'pin', pin: 'changed', fields: ['title'] } };
const shared = { server: 'a', serverFingerprint: print, origin: 'palette', createdAt: 1 };

/** What is read, and a record that it reads. */
const kinds: readonly (readonly [(value: unknown) => object | undefined, JsonObject])[] = [
  [
    parseContent,
    {
      kind: 'decision',
      callId: 'c1',
      server,
      tool: { name: 'b', fingerprint: print },
      risk: { level: 'readOnly', openWorld: false, idempotent: true, basis: 'declared' },
      origin: 'palette',
      ...decision,
      argumentsDigest: print,
      arguments: { x: [1, { y: null }] },
    },
  ],
  [parseContent, { kind: 'note', note: 'tornLine', segment: 'x', bytes: 1, text: 'z' }],
  [
    (value) => parseStoredTask('c1', JSON.stringify(value)),
    {
      callId: 'c1',
      server: 'a',
      configuration: 'f',
      account: '',
      origin: 'tree',
      startedAt: 1,
      sentAt: 2,
      handle: { wire: 'stateless', taskId: 't', sessionId: 's', createdAt: 1, ttlMs: 2, tool: 'b' },
      arguments: { a: [1] },
      secrets: ['x'],
    },
  ],
  [
    parsePastCall,
    {
      callId: 'c1',
      server: 'a',
      tool: 'b',
      serverLabel: 'A',
      toolTitle: 'B',
      origin: 'file',
      startedAt: 1,
      endedAt: 2,
      durationMs: 1,
      outcome: 'result',
      decision,
      arguments: { x: [1] },
      answer: { isExternal: true, violations: [], missingStructuredContent: false },
      bytes: 3,
    },
  ],
  [
    parseOverride,
    { ...shared, tool: 'b', toolFingerprint: print, override: { level: 'additive' } },
  ],
  [parseLastTools, { hash: print, listedAt: 1, tools: ['{"name":"a"}', '{'] }],
  [
    (value) => parseGrant(value, 'always'),
    { ...shared, id: 'i', duration: 'always', scope: 'tool', tools: { b: print } },
  ],
];
const facts: readonly JsonObject[][] = [
  [
    { part: 'command', value: 'node' },
    { part: 'header', name: 'A', written: '${env:B}', mask: { length: 3, digest: 'abcdef01' } },
  ],
];

describe('Any stored file', () => {
  for (const [parse, sample] of kinds) assert.ok(parse(sample), JSON.stringify(sample));

  const record = mutatedValue(kinds.map(([, sample]) => sample));
  fuzz('is a record of its kind, or none', 8, record, (value) => {
    for (const [parse] of kinds) {
      const read = parse(value);
      // What was read once is read again as the same.
      if (read === undefined) continue;
      const json = JSON.stringify(read);
      assert.equal(JSON.stringify(parse(JSON.parse(json))), json);
    }
  });

  fuzz('with facts of a start is read again as the same', 3, mutatedValue(facts), (value) => {
    const read = parseStartFacts(value);
    if (read !== undefined)
      assert.deepEqual(parseStartFacts(JSON.parse(JSON.stringify(read))), read);
  });

  const envelope = mutatedValue([{ version: 1, key: 'a-key', record: { x: 1 } }]).map((value) =>
    JSON.stringify(value),
  );
  const written = recordText('a-key', { x: 1 });
  fuzz(
    'with a key belongs to this key, or is invalid',
    4,
    fc.oneof(mutatedText([written]), envelope),
    (text) => {
      const bytes = Buffer.from(text);
      const stamp = { size: bytes.length };
      const read = parseRecordBytes(
        { kind: 'bytes', stamp: Object(stamp), bytes },
        'a-key.json',
        (value) => (typeof value === 'object' && value !== null ? value : undefined),
      );
      assert.equal(typeof read, 'object');
    },
  );

  const line = toLine({
    line: 1,
    at: 1_700_000_000_000,
    content: { kind: 'note', note: 'tornLine', segment: 'x', bytes: 3, text: 'y' },
  }).text;
  fuzz(
    'with a line of the journal is intact, or reported as changed',
    5,
    mutatedText([line]),
    (text) => {
      const { kind, hash } = readLine(Buffer.from(text));
      assert.match(hash, /^[0-9a-f]{64}$/);
      assert.equal(kind === 'damaged', text !== line, text);
    },
  );
});
