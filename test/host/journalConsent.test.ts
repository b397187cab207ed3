import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { riskOf } from '../../src/core/risk';
import type { CallFacts } from '../../src/host/consent/facts/callFacts';
import { toolFingerprint } from '../../src/host/consent/facts/fingerprints';
import { Grants } from '../../src/host/consent/grants/grants';
import { configHash } from '../../src/host/configuration/configurationHash';
import { ServerTrust } from '../../src/host/consent/trust/serverTrust';
import { RiskOverrides } from '../../src/host/consent/grants/overrides';
import { Pins } from '../../src/host/consent/pins/pins';
import { ConsentRecorder } from '../../src/host/journal/callRecorder';
import { maxListed } from '../../src/host/journal/entry';
import { Journal } from '../../src/host/journal/journal';
import { SharedChanges } from '../../src/host/storage/sharedChanges';
import { acceptAll, listOf } from './pinFixtures';
import { serverOf, toolOf } from './treeFixtures';

describe('The journal records', () => {
  const look = toolOf('look', { annotations: { readOnlyHint: true } });
  const entry = { serverId: 'shop', tool: look, risk: riskOf(look.annotations) };
  const { config } = serverOf('shop', [look]);
  const facts: CallFacts = { config, entry, arguments: {}, origin: 'tree' };
  let folder: string;
  let journal: Journal;
  let recorder: ConsentRecorder;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'toolgate-acts-'));
    journal = new Journal({
      folder: path.join(folder, 'journal'),
      limits: () => ({ retentionDays: 1, maxBytes: 1024 * 1024 }),
      onProblem: (problem) => assert.fail(JSON.stringify(problem)),
    });
    recorder = new ConsentRecorder(journal);
  });
  afterEach(async () => {
    await journal.stop();
    rmSync(folder, { recursive: true });
  });

  const kept = () => ({
    globalStorage: path.join(folder, 'global'),
    workspaceStorage: path.join(folder, 'workspace'),
    onProblem: () => assert.fail('storage'),
    changes: new SharedChanges(path.join(folder, 'global', 'changes')),
    servers: () => [],
  });

  /** What was recorded, oldest first, without times. */
  async function recorded(): Promise<object[]> {
    await journal.stop();
    const acts: object[] = [];
    for await (const row of journal.rows()) if (row.kind === 'other') acts.unshift(row.entry);
    return acts;
  }

  it('permissions that are given and withdrawn, once each', async () => {
    const grants = new Grants({
      ...kept(),
      allowsBroadDestructive: () => false,
      onAct: (action, grant) => recorder.grant(action, grant),
    });
    const ids: string[] = [];
    for (const duration of ['session', 'workspace', 'always'] as const) {
      ids.push((await grants.remember(facts, { scope: 'tool', duration }, 'tree', [entry])).id);
    }
    await grants.withdraw(ids[0] ?? '');
    await grants.withdraw('nobody');
    await grants.withdrawAll();
    grants.dispose();
    const acts = await recorded();
    const act = (action: string, index: number) => ({
      kind: 'permission',
      action,
      server: 'shop',
      tools: ['look'],
      grant: {
        id: ids[index],
        scope: 'tool',
        duration: ['session', 'workspace', 'always'][index],
      },
    });
    assert.deepEqual(acts.slice(0, 4), [
      act('granted', 0),
      act('granted', 1),
      act('granted', 2),
      act('withdrawn', 0),
    ]);
    assert.deepEqual(new Set(acts.slice(4).map((each) => JSON.stringify(each))).size, 2);
    assert.equal(acts.length, 6);
  });

  it('risks that the user sets and resets', async () => {
    const overrides = new RiskOverrides({
      ...kept(),
      onAct: (action, record) => recorder.override(action, record),
    });
    const override = { level: 'additive' } as const;
    const wish = { config, tool: look, override, scope: 'workspace', origin: 'tree' } as const;
    await overrides.set(wish);
    await overrides.takeBack(config, 'look');
    await overrides.set(wish);
    const [state] = await overrides.all();
    await overrides.withdraw(state?.id ?? '');
    await overrides.withdrawAll();
    overrides.dispose();
    const of = { kind: 'permission', server: 'shop', tools: ['look'], level: 'additive' };
    assert.deepEqual(
      await recorded(),
      ['overrideSet', 'overrideWithdrawn', 'overrideSet', 'overrideWithdrawn'].map((action) => ({
        ...of,
        action,
      })),
    );
  });

  it('answers about the start of servers, and withdrawn ones', async () => {
    const trust = new ServerTrust({
      folder: path.join(folder, 'trust'),
      onProblem: () => assert.fail('storage'),
      onAct: (act) => recorder.trust(act),
    });
    trust.refuse(config);
    await trust.trust(config);
    await trust.withdraw((await trust.all())[0]?.key ?? '');
    await trust.trust(config);
    await trust.withdrawAll();
    await trust.withdrawAll();
    trust.dispose();
    const fingerprint = configHash(config);
    assert.deepEqual(
      await recorded(),
      ['refused', 'trusted', 'withdrawn', 'trusted', 'withdrawn'].map((answer) => ({
        kind: 'trust',
        server: { id: 'shop', label: 'shop', fingerprint },
        answer,
      })),
    );
  });

  it('accepted definitions, also of skills, with their changes, and no first listing', async () => {
    const changed = toolOf('look', { ...look, description: 'Looks, and more.' });
    const pins = new Pins({
      folder: path.join(folder, 'pins'),
      onProblem: () => assert.fail('storage'),
      changes: new SharedChanges(path.join(folder, 'changes')),
      onAccept: (...accepted) => recorder.pin('tool', ...accepted),
    });
    await pins.observe(listOf([look]));
    const server = listOf([changed, toolOf('more')]);
    await pins.observe(server);
    await acceptAll(pins, server);
    await acceptAll(pins, server);
    pins.dispose();
    recorder.pin('skill', server.config, look, []);
    const pin = (tool: typeof look, fields: readonly string[]) => ({
      kind: 'pin',
      server: server.config.id,
      tool: { name: tool.name, fingerprint: toolFingerprint(tool) },
      fields,
    });
    assert.deepEqual(await recorded(), [
      pin(changed, ['description']),
      pin(toolOf('more'), []),
      { ...pin(look, []), isSkill: true },
    ]);
  });

  it('sign-ins with their scopes, and added scopes', async () => {
    const issuer = 'https://login.example.org';
    recorder.signIn('signedIn', { id: 'docs' }, issuer, ['files:read']);
    recorder.signIn('extended', { id: 'docs' }, issuer, ['files:write']);
    const many = Array.from({ length: maxListed + 1 }, (_, index) => `right${index}`);
    recorder.signIn('signedOut', { id: 'docs' }, issuer, many);
    const written = { kind: 'authorization', server: 'docs', issuer };
    assert.deepEqual(await recorded(), [
      { ...written, action: 'signedIn', scopes: ['files:read'] },
      { ...written, action: 'extended', scopes: ['files:write'] },
      { ...written, action: 'signedOut', scopes: many.slice(0, maxListed) },
    ]);
  });
});
