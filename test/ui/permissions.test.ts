import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { grantDurations, grantScopes, type GrantWish } from '../../src/host/consent/grants/grant';
import { PermissionCommands } from '../../src/ui/consent/permissions/permissionCommands';
import { pickPermissions } from '../../src/ui/consent/permissions/permissionPicker';
import {
  readPermissions,
  type PermissionItem,
  type PermissionSource,
} from '../../src/ui/consent/permissions/permissions';
import { pickWish } from '../../src/ui/calls/rememberPicker';
import { entryOf, serverOf, toolOf } from '../host/treeFixtures';
import { until } from '../waiting';

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
  it('withdraws nothing when it is accepted as it was shown, or closed', async () => {
    const groups = await readPermissions([new Source('One', ['a', 'b']), new Source('Two', ['c'])]);
    const opened = pickPermissions(groups);
    await vscode.commands.executeCommand(accept);
    assert.deepEqual(await opened, { kind: 'withdraw', unchecked: [] });
    const again = pickPermissions(groups);
    await vscode.commands.executeCommand(close);
    assert.deepEqual(await again, { kind: 'closed' });
  });

  it('withdraws what was unchecked when it is accepted, from whoever keeps it', async () => {
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
  it('asks once, with how many there are of each kind, and does nothing without a yes', async () => {
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
    assert.deepEqual(
      sources.map(({ withdrawn }) => withdrawn),
      [['all', 'a', 'b'], ['all'], ['all', 'c']],
    );
  });

  it('withdraws from all, also when one of them cannot, and also what is not listed', async () => {
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

describe('The question what to remember', () => {
  const question = {
    entry: entryOf('notes', toolOf('read')),
    config: serverOf('notes', []).config,
  };
  const all: readonly GrantWish[] = grantScopes.flatMap((scope) =>
    grantDurations.map((duration) => ({ scope, duration })),
  );

  /** Presses again and again, because the second question comes when the first is answered. */
  async function pressing(
    command: string,
    picked: Promise<GrantWish | undefined>,
  ): Promise<GrantWish | undefined> {
    const over = new AbortController();
    void picked.finally(() => over.abort());
    await until(async () => {
      await vscode.commands.executeCommand(command);
      return over.signal.aborted;
    });
    return picked;
  }

  it('has the smallest first', async () => {
    const wish = await pressing(accept, pickWish(all, question));
    assert.deepEqual(wish, { scope: 'arguments', duration: 'session' });
  });

  it('asks for what leaves a choice only', async () => {
    const wishes = all.filter(({ scope }) => scope === 'tool').slice(1);
    const wish = await pressing(accept, pickWish(wishes, question));
    assert.deepEqual(wish, { scope: 'tool', duration: 'workspace' });
    assert.equal(await pickWish([], question), undefined);
  });

  it('goes back when it is closed', async () => {
    assert.equal(await pressing(close, pickWish(all, question)), undefined);
    const back = 'workbench.action.quickInputBack';
    assert.equal(await pressing(back, pickWish(all, question)), undefined);
    assert.equal(await pressing(back, pickWish(all.slice(0, 3), question)), undefined);
  });
});
