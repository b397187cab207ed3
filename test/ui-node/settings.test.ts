import assert from 'node:assert/strict';
import { settings } from '../../src/ids';
import { settingDeclarations, type SettingOfType } from '../../src/ui/settings/settingDeclarations';
import { type Settings, SettingsCheck } from '../../src/ui/settings/settingsCheck';

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

describe('The settings', () => {
  /** Sets one after the other, beside the defaults, and tells what was read and how often it warned. */
  function checking(name: keyof typeof settingDeclarations & keyof typeof settings) {
    const warnings: string[] = [];
    const check = new SettingsCheck({ warn: (text) => warnings.push(text) });
    const given = new Map<string, unknown>(
      Object.entries(settingDeclarations).flatMap(([each, declaration]) =>
        'default' in declaration
          ? [[settings[each as keyof typeof settings], declaration.default]]
          : [],
      ),
    );
    const set = (value: unknown, of: string = settings[name]): Settings => {
      given.set(of, value);
      return check.read((key) => given.get(key));
    };
    return { set, warnings };
  }

  it('ignore an invalid time limit, and report it once', () => {
    const { set, warnings } = checking('callTimeouts');
    const given = { shop: 5_000, 'shop/sell': 'soon', 'shop/buy': 999 };
    assert.deepEqual([...set(given).callTimeouts], [['shop', 5_000]]);
    assert.equal(warnings.length, 1);
  });

  for (const name of numberNames) {
    it(`accept ${name} from its declared minimum to its maximum, and otherwise use the default, reported once`, () => {
      const { set, warnings } = checking(name);
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
        assert.equal(set(value)[name], expected, String(value));
        assert.equal(warnings.length, told, String(value));
      }
      set(true, settings.demoServer);
      assert.equal(warnings.length, 4, 'an unrelated change tells it again');
      assert.ok(warnings[0]?.startsWith(`The setting toolgate.${settings[name]} must be`));
    });
  }

  it('accept only true for the demo server', () => {
    const { set, warnings } = checking('demoServer');
    assert.equal(set(true).isDemoServerEnabled, true);
    assert.equal(set('yes').isDemoServerEnabled, false);
    assert.equal(warnings.length, 1);
  });

  it('accept only an https URL with a path for the client document', () => {
    const { set, warnings } = checking('clientDocument');
    const document = 'https://toolgate.example.org/client.json';
    assert.equal(set(document).clientDocument, document);
    const wrong = [
      'http://toolgate.example.org/client.json',
      'https://toolgate.example.org/',
      'https://ada@toolgate.example.org/client.json',
      `${document}#part`,
      true,
    ];
    for (const value of wrong) assert.equal(set(value).clientDocument, '', String(value));
    assert.equal(warnings.length, wrong.length);
  });

  it('limit the waiting time of agents to less than their own time limits', () => {
    assert.equal(settingDeclarations.agentAnswerWithinMs.maximum, 59_000);
  });
});
