import assert from 'node:assert/strict';
import type { OverrideState } from '../../src/host/consent/grants/overrides';
import {
  askForOverride,
  type OverrideAnswer,
} from '../../src/ui/consent/permissions/setRiskCommand';
import { entryOf, toolOf } from '../host/treeFixtures';
import { accept, pressingKey, watchShown } from './pressingKeys';

const stateOf = (more: Partial<OverrideState> = {}): OverrideState => ({
  id: 'workspace-1',
  scope: 'workspace',
  record: {
    server: 'shop',
    serverFingerprint: 's',
    tool: 'sell',
    toolFingerprint: 't',
    override: { level: 'readOnly' },
    origin: 'tree',
    createdAt: 0,
  },
  ...more,
});

describe('Set Risk', () => {
  let seen: string[];

  /** Accepts the row of each list whose label begins so, and notes what stood in each. */
  function ask(
    answers: readonly string[],
    states: readonly OverrideState[] = [],
    scopes: readonly ('workspace' | 'always')[] = ['workspace', 'always'],
  ): Promise<OverrideAnswer | undefined> {
    seen = [];
    const left = [...answers];
    const end = watchShown({
      pick: (pick) => {
        const rows = pick.items.map(({ label, description = '', detail = '' }) =>
          [label, description, detail].filter((part) => part !== '').join(' | '),
        );
        seen.push(`${pick.title}: ${pick.placeholder}`, ...rows.filter((row) => row !== ''));
        const answer = left.shift() ?? assert.fail('one question more');
        pick.activeItems = pick.items.filter(({ label }) => label.startsWith(answer));
      },
    });
    const entry = entryOf('shop', toolOf('sell'));
    const asked = askForOverride({ entry, serverLabel: 'Shop', states, scopes });
    return pressingKey(accept, asked).finally(end);
  }

  const checked = 'I have checked: ';

  it('asks for level, outside systems and scope, each with a description', async () => {
    const answers = [`${checked}read`, `${checked}reaches no`, 'All my'];
    assert.deepEqual(await ask(answers), {
      kind: 'set',
      override: { level: 'readOnly', openWorld: false },
      scope: 'always',
    });
    assert.deepEqual(seen, [
      'Set Risk of “sell” on “Shop” (1/3): Until the tool or its server changes',
      'I have checked: read-only | It changes nothing.',
      'I have checked: adds only | It adds only; it never deletes or overwrites.',
      'I have checked: destructive | It may delete or overwrite.',
      'Set Risk of “sell” on “Shop” (2/3): Does it reach outside systems?',
      'As declared by the server | reaches outside systems (assumed)',
      'I have checked: reaches no outside systems',
      'I have checked: reaches outside systems',
      'Set Risk of “sell” on “Shop” (3/3): Where should this apply?',
      'This workspace',
      'All my workspaces',
    ]);
  });

  it('does not ask for the scope without a workspace', async () => {
    assert.deepEqual(await ask([`${checked}adds`, 'As declared'], [], ['always']), {
      kind: 'set',
      override: { level: 'additive' },
      scope: 'always',
    });
  });

  it('shows the current risk and any that no longer applies, and resets either', async () => {
    const takeBack = 'Use what the server declares';
    assert.deepEqual(await ask([takeBack], [stateOf()]), { kind: 'takeBack' });
    const rest = 'destructive (assumed) | Removes your settings for this tool in every workspace.';
    assert.deepEqual(
      [seen[1], seen[4]],
      ['I have checked: read-only | current | It changes nothing.', `${takeBack} | ${rest}`],
    );
    assert.deepEqual(await ask([takeBack], [stateOf({ suspended: 'toolChanged' })]), {
      kind: 'takeBack',
    });
    assert.match(seen[0] ?? '', /Your setting was dropped because the tool or its server changed$/);
    assert.ok(seen.every((line) => !line.includes(' | current | ')));
  });
});
