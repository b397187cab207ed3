import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { settings } from '../../src/ids';
import { settingDeclarations, type SettingOfType } from '../../src/ui/settings/settingDeclarations';
import { type Settings, SettingsReader } from '../../src/ui/settings/settings';

const numberNames = [
  'agentAnswerWithinMs',
  'startTimeoutMs',
  'callTimeoutMs',
  'callCeilingMs',
  'maxCallsPerServer',
  'maxMessageBytes',
  'maxMessageValues',
  'resultBudgetBytes',
  'spoolAboveBytes',
  'historyMaxCalls',
  'historyMaxBytes',
  'historyMaxAgeDays',
  'historyMaxAnswerBytes',
  'journalRetentionDays',
  'journalMaxBytes',
  'replaySpeed',
] as const satisfies readonly (keyof Settings & SettingOfType<'integer'>)[];

const configuration = () => vscode.workspace.getConfiguration(settings.section);
describe('The settings', () => {
  const warnings: string[] = [];
  let reader: SettingsReader;

  /** Sets one and resolves when the reader has seen it. */
  async function set(name: string, value: unknown): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      const subscription = reader.onDidChange(() => {
        subscription.dispose();
        resolve();
      });
    });
    await configuration().update(name, value, vscode.ConfigurationTarget.Global);
    await seen;
  }

  beforeEach(() => {
    warnings.length = 0;
    reader = new SettingsReader({ warn: (text) => warnings.push(text) });
  });
  afterEach(async () => {
    reader.dispose();
    for (const { key, value } of Object.values(settings)
      .filter((name) => name !== settings.section)
      .map((name) => ({ key: name, value: configuration().inspect(name)?.globalValue }))) {
      if (value === undefined) continue;
      await configuration().update(key, undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('are the declared defaults where nothing is set', () => {
    const { servers, ...others } = reader.current;
    assert.deepEqual(JSON.parse(JSON.stringify(servers)), {});
    assert.deepEqual(others, {
      isDemoServerEnabled: false,
      callsOnClick: false,
      opensTables: true,
      servesAgents: false,
      agentServers: [],
      toolSets: new Map(),
      groupsByOrigin: false,
      startServers: 'onFirstUse',
      restartsCrashedServers: true,
      clientDocument: '',
      sharesWorkspaceFolders: false,
      allowsBroadDestructiveGrants: false,
      recordsArguments: false,
      recordingOmits: [],
      requiresJournal: false,
      volatileFields: settingDeclarations.volatileFields.default,
      callTimeouts: new Map(),
      ...Object.fromEntries(numberNames.map((name) => [name, settingDeclarations[name].default])),
    });
    assert.deepEqual(warnings, []);
  });

  it('let no agent wait as long as several wait for an answer', () => {
    assert.equal(settingDeclarations.agentAnswerWithinMs.maximum, 59_000);
  });

  it('leave out of the time limits what is none, told once', async () => {
    await set(settings.callTimeouts, { shop: 5_000, 'shop/sell': 'soon', 'shop/buy': 999 });
    assert.deepEqual([...reader.current.callTimeouts], [['shop', 5_000]]);
    assert.equal(warnings.length, 1);
  });

  for (const name of numberNames) {
    it(`take ${name} from its declared minimum to its maximum, and else the default, told once`, async () => {
      const { default: byDefault, minimum, maximum } = settingDeclarations[name];
      const cases: [unknown, number, number][] = [
        [minimum, minimum, 0],
        [maximum, maximum, 0],
        [minimum - 1, byDefault, 1],
        [maximum + 1, byDefault, 2],
        [minimum + 0.5, byDefault, 3],
        ['many', byDefault, 4],
      ];
      for (const [value, expected, told] of cases) {
        await set(settings[name], value);
        assert.equal(reader.current[name], expected, String(value));
        assert.equal(warnings.length, told, String(value));
      }
      await set(settings.demoServer, true);
      assert.equal(warnings.length, 4, 'an unrelated change tells it again');
      assert.match(
        warnings[0] ?? '',
        new RegExp(`^The setting toolgate\\.${settings[name]} must be`),
      );
    });
  }

  it('take only true for the demo server', async () => {
    await set(settings.demoServer, true);
    assert.equal(reader.current.isDemoServerEnabled, true);
    await set(settings.demoServer, 'yes');
    assert.equal(reader.current.isDemoServerEnabled, false);
    assert.equal(warnings.length, 1);
  });

  it('take only an https address with a path for the client document', async () => {
    const document = 'https://toolgate.example.org/client.json';
    await set(settings.clientDocument, document);
    assert.equal(reader.current.clientDocument, document);
    const wrong = [
      'http://toolgate.example.org/client.json',
      'https://toolgate.example.org/',
      'https://ada@toolgate.example.org/client.json',
      `${document}#part`,
      true,
    ];
    for (const value of wrong) {
      await set(settings.clientDocument, value);
      assert.equal(reader.current.clientDocument, '', String(value));
    }
    assert.equal(warnings.length, wrong.length);
  });

  it('cannot be set by a workspace, but for what only shows, and rules', async () => {
    const others = Object.entries(settings).filter(
      ([name]) => !['section', 'groupByOrigin', 'rules'].includes(name),
    );
    assert.ok(others.length > 20);
    for (const [, key] of others) {
      await assert.rejects(
        async () => configuration().update(key, null, vscode.ConfigurationTarget.Workspace),
        key,
      );
    }
  });
});
