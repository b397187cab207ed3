import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { grantDurations, grantScopes, type GrantChoice } from '../../src/host/consent/grants/grant';
import {
  PermissionCommands,
  pickPermissions,
} from '../../src/ui/consent/permissions/permissionCommands';
import {
  readPermissions,
  type PermissionItem,
  type PermissionSource,
} from '../../src/ui/consent/permissions/permissions';
import { pickAllowed } from '../../src/ui/calls/callDialog';
import { toolOf } from '../host/treeFixtures';
import { questionOf } from '../ui-node/callQuestions';
import { assertEach } from '../assertions';
import { inputsDuring, labelsOf, pressingKey } from './pressingKeys';

const accept = 'workbench.action.acceptSelectedQuickOpenItem';
const close = 'workbench.action.closeQuickOpen';

/** Holds what it is given, and notes what is withdrawn. */
class Source implements PermissionSource {
  readonly withdrawn: string[] = [];
  constructor(
    readonly heading: string,
    private ids: readonly string[],
    private readonly error?: Error,
  ) {}

  async all(): Promise<readonly PermissionItem[]> {
    return this.ids.map((id) => ({
      id,
      label: `label of ${id}`,
      description: 'always',
      detail: 'given',
      about: ['about'],
    }));
  }

  async withdraw(ids: readonly string[]): Promise<void> {
    if (this.error !== undefined) throw this.error;
    this.withdrawn.push(...ids);
    this.ids = this.ids.filter((id) => !ids.includes(id));
  }

  async withdrawAll(): Promise<void> {
    this.withdrawn.push('all');
    await this.withdraw(this.ids);
  }
}

describe('The list of permissions', () => {
  it('withdraws nothing when it is accepted unchanged, or closed', async () => {
    const groups = await readPermissions([new Source('One', ['a', 'b']), new Source('Two', ['c'])]);
    const opened = pickPermissions(groups);
    await vscode.commands.executeCommand(accept);
    assert.deepEqual(await opened, { kind: 'withdraw', unchecked: [] });
    const again = pickPermissions(groups);
    await vscode.commands.executeCommand(close);
    assert.deepEqual(await again, { kind: 'closed' });
  });

  it('withdraws unchecked permissions when it is accepted, from each store', async () => {
    const [none, one, two] = [
      new Source('None', []),
      new Source('One', ['a', 'b']),
      new Source('Two', ['a']),
    ];
    const groups = await readPermissions([none, one, two]);
    const opened = pickPermissions(groups);
    await vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
    await vscode.commands.executeCommand('quickInput.toggleCheckbox');
    await vscode.commands.executeCommand(accept);
    const chosen = await opened;
    assert.deepEqual(chosen, { kind: 'withdraw', unchecked: [{ source: one, ids: ['a'] }] });
  });
});

describe('Forget All Permissions', () => {
  it('asks once, with the number of each kind, and does nothing without a yes', async () => {
    const sources = [
      new Source('Answers', ['a', 'b']),
      new Source('Risks', []),
      new Source('Servers', ['c']),
    ];
    const asked: string[] = [];
    let isSure = false;
    const commands = new PermissionCommands({
      sources,
      confirm: async (_, detail) => {
        asked.push(detail.split('\n\n', 1)[0] ?? '');
        return isSure;
      },
    });
    await commands.forgetAll();
    assert.deepEqual(
      sources.flatMap(({ withdrawn }) => withdrawn),
      [],
    );
    isSure = true;
    await commands.forgetAll();
    assert.deepEqual(asked, ['Answers: 2\nServers: 1', 'Answers: 2\nServers: 1']);
    assertEach(sources, ({ withdrawn }) => withdrawn, [['all', 'a', 'b'], ['all'], ['all', 'c']]);
  });

  it('clears every store, even if one of them fails, including what is not listed', async () => {
    const sources = [
      new Source('Broken', ['a'], new Error('disk full')),
      new Source('Good', ['b']),
    ];
    await new PermissionCommands({ sources, confirm: async () => true }).forgetAll();
    assert.deepEqual(sources[1]?.withdrawn, ['all', 'b']);
    const empty = new Source('Empty', []);
    const unasked = async () => assert.fail('asked');
    await new PermissionCommands({ sources: [empty], confirm: unasked }).forgetAll();
    assert.deepEqual(empty.withdrawn, ['all']);
  });
});

describe('The picker of Allow…', () => {
  const all: readonly GrantChoice[] = grantScopes.flatMap((scope) =>
    grantDurations.map((duration) => ({ scope, duration })),
  );
  const asked = (tool = toolOf('read')) => questionOf(tool, {}, { offered: all });
  const reading = toolOf('read', { annotations: { readOnlyHint: true } });
  const proposal = { kind: 'tool', rule: { effect: 'allow', tool: 'read' } } as const;
  const saved: unknown[] = [];
  const rules = (isSaved = true) => ({
    proposals: async () => [proposal],
    save: async (rule: unknown) => {
      saved.push(rule);
      return isSaved;
    },
  });

  it('has the likely choice first', async () => {
    const first = await pressingKey(accept, pickAllowed(asked(), rules()));
    assert.deepEqual(first, { kind: 'grant', grant: { scope: 'arguments', duration: 'session' } });
    const ofReading = await pressingKey(accept, pickAllowed(asked(reading), rules()));
    assert.deepEqual(ofReading, { kind: 'grant', grant: { scope: 'tool', duration: 'session' } });
  });

  it('lists every scope and duration, and the rules as they will be written', async () => {
    const [list] = await inputsDuring(() =>
      pressingKey(close, pickAllowed(asked(reading), rules())),
    );
    assert.deepEqual(labelsOf(list), [
      'This tool, in this session',
      'Exactly these arguments, in this session',
      'Exactly these arguments, in this workspace',
      'Exactly these arguments, always',
      'This tool, in this workspace',
      'This tool, always',
      'Read-only tools of this server, in this session',
      'Read-only tools of this server, in this workspace',
      'Read-only tools of this server, always',
      'This tool, as a rule',
    ]);
    assert.ok(list !== undefined && 'items' in list);
    assert.equal(list.items.at(-1)?.detail, JSON.stringify(proposal.rule));
  });

  it('saves a rule, and goes back if it cannot be saved', async () => {
    const bare = questionOf(reading, {}, { offered: [] });
    assert.deepEqual(await pressingKey(accept, pickAllowed(bare, rules())), { kind: 'ruleSaved' });
    assert.equal(await pressingKey(accept, pickAllowed(bare, rules(false))), undefined);
    assert.deepEqual(saved, [proposal, proposal]);
  });

  it('goes back when it is closed', async () => {
    assert.equal(await pressingKey(close, pickAllowed(asked(), rules())), undefined);
    const back = 'workbench.action.quickInputBack';
    assert.equal(await pressingKey(back, pickAllowed(asked(), rules())), undefined);
  });
});
