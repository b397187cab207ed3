import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isMcpError, McpError } from '../../src/core/errors';
import type { ContentBlock, ToolResult } from '../../src/core/types';
import type { JsonValue } from '../../src/core/json/jsonValue';
import type { CallRequest } from '../../src/host/calls/call';
import { CallRecorder, type CallRecorderOptions } from '../../src/host/journal/callRecorder';
import { JournalError } from '../../src/host/journal/journalError';
import { resultDigest } from '../../src/host/journal/resultDigest';
import { decidedCall, finishedCall } from './decidedCalls';
import { journalIn, picture, rowsOf, segmentsIn } from './journalEntries';
import { useFolders } from './testFolders';
import { assertEach } from '../assertions';

const mib = 1024 * 1024;

const request: CallRequest = { server: 'demo', tool: 'login', origin: 'api' };

describe('Calls in the journal', () => {
  const newFolder = useFolders('journal');

  function stage(more: Partial<CallRecorderOptions> = {}) {
    const folder = newFolder();
    const { journal } = journalIn(folder);
    const recorder = new CallRecorder({
      journal,
      recordsArguments: () => true,
      isRequired: () => false,
      ...more,
    });
    const text = () =>
      segmentsIn(folder)
        .map((name) => readFileSync(path.join(folder, name), 'utf8'))
        .join('');
    return { journal, recorder, text };
  }

  it('are written when decided and when ended', async () => {
    const { journal, recorder } = stage();
    await recorder.decided(decidedCall('run', {}));
    await recorder.ended('run', request, finishedCall());
    await recorder.decided(decidedCall('no', {}, { answer: 'no' }));
    await recorder.ended('no', request, { kind: 'denied', durationMs: 0 });
    const error = new McpError('timeout', { outcomeUnknown: true });
    await recorder.decided(decidedCall('late', {}));
    await recorder.ended('late', request, { kind: 'failed', error, violations: [], durationMs: 9 });
    const invalid = new McpError('invalidArguments');
    await recorder.ended('bad', request, {
      kind: 'failed',
      error: invalid,
      violations: [],
      durationMs: 0,
    });
    await recorder.ended('withdrawn', request, { kind: 'cancelled', durationMs: 0 });
    assert.deepEqual((await picture(journal)).toSorted(), [
      'late ask failed unknown',
      'no ask',
      'refused cancelled',
      'refused invalidArguments',
      'run ask result',
    ]);
    await journal.stop();
  });

  it('are written for a schema of very many parts', async () => {
    const { journal, recorder } = stage();
    const call = decidedCall('run', { a: 1 });
    const { entry } = call.question;
    const inputSchema = { type: 'object', anyOf: Array.from({ length: 150_000 }, () => ({})) };
    const question = {
      ...call.question,
      entry: { ...entry, tool: { ...entry.tool, inputSchema } },
    };
    await recorder.decided({ ...call, question });
    await recorder.ended('run', request, finishedCall());
    assert.deepEqual(await picture(journal), ['run ask result']);
    await journal.stop();
  });

  it('name the agent as it calls itself, also if there was no decision', async () => {
    const { journal, recorder } = stage();
    const byAgent = { origin: 'agent', client: 'robot' } as const;
    const { question } = decidedCall('a', {});
    await recorder.decided(decidedCall('a', {}, { question: { ...question, ...byAgent } }));
    await recorder.ended('a', { ...request, ...byAgent }, finishedCall());
    const error = new McpError('agentPaused');
    const paused = { kind: 'failed', error, violations: [], durationMs: 0 } as const;
    await recorder.ended('b', { ...request, ...byAgent }, paused);
    await journal.stop();
    const entries = (await rowsOf(journal)).map((row) =>
      row.kind === 'call' ? row.decision : row.kind === 'refused' ? row.refused : undefined,
    );
    const named = entries.map((entry) => `${entry?.kind} ${entry?.origin} ${entry?.client}`);
    assert.deepEqual(named.toSorted(), ['decision agent robot', 'refused agent robot']);
  });

  it('never contain a secret or environment variable', async () => {
    const { journal, recorder, text } = stage();
    await recorder.decided(decidedCall('a', { user: 'somebody', password: 'hunter2' }));
    await journal.stop();
    assert.match(text(), /"user":"somebody","password":"\(secret\)"/);
    assert.doesNotMatch(text(), /hunter2|environment-secret/);
    const [row] = await rowsOf(journal);
    assert.ok(row?.kind === 'call' && row.decision.hasSecrets);
  });

  it('contain no known secret, anywhere in the arguments', async () => {
    const redact = (text: string): string => text.replaceAll('known-one', '(secret)');
    const { journal, recorder, text } = stage({ redact });
    await recorder.decided(decidedCall('a', { list: [{ note: 'with known-one in it' }] }));
    await journal.stop();
    const [row] = await rowsOf(journal);
    assert.ok(row?.kind === 'call');
    assert.deepEqual(row.decision.arguments, { list: [{ note: 'with (secret) in it' }] });
    assert.equal(row.decision.hasSecrets, true);
    assert.doesNotMatch(text(), /known-one/);
  });

  it('contain no value from outside a call file, nor its digest', async () => {
    const { journal, recorder, text } = stage();
    const given = { note: 'Bearer fr0m-env', pin: '47', other: 'ann' };
    await recorder.decided(decidedCall('a', given, { secrets: ['fr0m-env', '47'] }));
    const other = { note: 'Bearer an0ther', pin: '48', other: 'ann' };
    await recorder.decided(decidedCall('b', other, { secrets: ['an0ther', '48'] }));
    const [one, two] = await rowsOf(journal);
    assert.ok(one?.kind === 'call' && two?.kind === 'call');
    const written = { note: '(secret)', pin: '(secret)', other: 'ann' };
    assertEach([one, two], ({ decision }) => [decision.arguments, decision.hasSecrets], [
      [written, true],
      [written, true],
    ]);
    assert.equal(one.decision.argumentsDigest, two.decision.argumentsDigest);
    await journal.stop();
    assert.doesNotMatch(text(), /fr0m-env|an0ther/);
  });

  it('do not reveal a secret by their digest', async () => {
    const { journal, recorder } = stage();
    await recorder.decided(decidedCall('a', { password: '0000' }));
    await recorder.decided(decidedCall('b', { password: '1234' }));
    await recorder.decided(decidedCall('c', { other: '1234' }));
    await journal.stop();
    const digests = (await rowsOf(journal)).map((row) =>
      row.kind === 'call' ? row.decision.argumentsDigest : '',
    );
    assert.equal(digests[1], digests[2]);
    assert.notEqual(digests[0], digests[1]);
  });

  it('have no arguments unless the user wants that, and no very large ones', async () => {
    const { journal, recorder, text } = stage({ recordsArguments: () => false });
    await recorder.decided(decidedCall('a', { user: 'somebody' }));
    await journal.stop();
    assert.doesNotMatch(text(), /somebody/);
    const large = stage();
    await large.recorder.decided(decidedCall('b', { user: 'x'.repeat(200_000) }));
    await large.journal.stop();
    const [row] = await rowsOf(large.journal);
    assert.ok(row?.kind === 'call');
    assert.equal(row.decision.argumentsOmitted, 'tooLarge');
    assert.equal(row.decision.arguments, undefined);
  });

  it('are refused only if they must be written and cannot be', async () => {
    const failing = {
      write: () => Promise.resolve(),
      record: () => Promise.reject(new JournalError('no space left', 'ENOSPC')),
    };
    const free = stage({ journal: failing });
    await free.recorder.decided(decidedCall('a', {}));
    const strict = stage({ journal: failing, isRequired: () => true });
    await assert.rejects(
      strict.recorder.decided(decidedCall('b', {})),
      (error) => isMcpError(error, 'journalUnavailable') && error.facts.detail === 'no space left',
    );
  });
});

describe('The digest of a result', () => {
  const text = (value: string): ContentBlock => ({ type: 'text', text: value });
  const digest = (result: Partial<ToolResult>) =>
    resultDigest({ content: [], isError: false, ...result });

  it('is the same for the same answer, and different for any other', async () => {
    const results: Partial<ToolResult>[] = [
      {},
      { isError: true },
      { content: [text('')] },
      { content: [text('a'), text('b')] },
      { content: [text('ab')] },
      { content: [text('a')], structuredContent: 'b' },
      { structuredContent: null },
      { structuredContent: [] },
      { structuredContent: {} },
      { structuredContent: '1' },
      { structuredContent: 1 },
      { structuredContent: { a: [1], b: 2 } },
      { structuredContent: { a: [1, 'b', 2] } },
      { structuredContent: { a: { b: 1 } } },
      { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
      { content: [{ type: 'image', data: Buffer.from('AAAA'), mimeType: 'image/png' }] },
      { content: [text('x'.repeat(300_000))] },
      { content: [text(`${'x'.repeat(299_999)}y`)] },
      { content: [text('😀'.repeat(300_000))] },
      { content: [text(`x${'😀'.repeat(300_000)}`)] },
    ];
    const digests = await Promise.all(results.map(digest));
    assert.equal(new Set(digests).size, results.length);
    assert.deepEqual(await Promise.all(results.map(digest)), digests);
    assert.equal(await digest({ meta: { time: 1 } }), digests[0]);
  });

  it('is the same as in earlier versions, whatever the size', async () => {
    const known = [
      [5, '403de8e3f93e03929dc89334a240efe703f2287065dc6f8dd62180299c1705e9'],
      [2_000, 'df0addfb8342cc42d1652ecde4d6dcd6273415e9e630ab5f5f2e552ad5a9b1df'],
      [300_000, 'd2ffb0730aac7a59d705c4938274d417445dabea0be20bef99351b6f38171adc'],
    ] as const;
    for (const [length, expected] of known) {
      const value = length === 5 ? 'hello' : 'x'.repeat(length);
      assert.equal(await digest({ content: [text(value)] }), expected);
    }
  });

  it('is computed at any depth', async () => {
    let deep: ToolResult['structuredContent'] = 1;
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
    assert.match((await digest({ structuredContent: deep })) ?? '', /^[0-9a-f]{64}$/);
  });

  it('yields to other work while it processes a large answer', async () => {
    for (const block of [
      text('x'.repeat(64 * mib)),
      { type: 'image', data: Buffer.alloc(64 * mib), mimeType: 'image/png' } as const,
    ]) {
      let pauses = 0;
      const result = { content: [block], isError: false };
      await resultDigest(result, { pause: () => Promise.resolve(void (pauses += 1)) });
      // However fast the machine is: nothing hashes 64 MiB within five pauses of five milliseconds.
      assert.ok(pauses >= 2, `${pauses} pauses`);
    }
  });

  it('covers the same text for small answers, which are written at once, and for others', async () => {
    const sha256 = (...pieces: string[]) =>
      createHash('sha256').update(pieces.join('')).digest('hex');
    const stream = (said: string): string =>
      sha256(
        'o3;s7;contenta1;o2;s4;types4;texts4;text',
        `s${said.length};${said}s17;structuredContento2;s1;aa3;v1;vnull;s1;bs1;bo0;s7;isErrorvtrue;`,
      );
    for (const said of ['é', 'x'.repeat(2_000), 'x'.repeat(100_000)]) {
      const structuredContent = { a: [1, null, 'b'], b: {} };
      assert.equal(
        await digest({ content: [text(said)], structuredContent, isError: true }),
        stream(said),
        `${said.length} characters`,
      );
    }
    const deep = (levels: number): JsonValue => (levels === 0 ? 'x' : [deep(levels - 1)]);
    for (const levels of [10, 100]) {
      const expected = `o3;s7;contenta0;s17;structuredContent${'a1;'.repeat(levels)}s1;xs7;isErrorvfalse;`;
      assert.equal(await digest({ structuredContent: deep(levels) }), sha256(expected));
    }
  });

  it('is missing for answers above the limit', async () => {
    const result = { content: [text('x'.repeat(2_000_000))], isError: false };
    assert.equal(await resultDigest(result, { maxLength: 1_000_000 }), undefined);
  });
});
