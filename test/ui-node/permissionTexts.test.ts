import assert from 'node:assert/strict';
import { grantDurations, grantScopes, type Grant } from '../../src/host/consent/grants/grant';
import type { GrantState } from '../../src/host/consent/grants/grants';
import {
  type PermissionItem,
  grantPermissions,
} from '../../src/ui/consent/permissions/permissions';
import { formatGrant, formatSuspension } from '../../src/ui/format/formatPermission';

function grantOf(more: Partial<Grant> = {}): Grant {
  return {
    id: 'g',
    scope: 'tool',
    duration: 'always',
    server: 'notes',
    serverFingerprint: 's',
    tools: { read: 't' },
    origin: 'palette',
    createdAt: 0,
    ...more,
  };
}

describe('Descriptions of permissions', () => {
  it('say what is allowed and how long', () => {
    const said = grantScopes.map((scope) => formatGrant(grantOf({ scope, duration: 'session' })));
    assert.deepEqual(said, [
      '“read” of “notes” with exactly the same arguments, in this session.',
      '“read” of “notes” with any arguments, in this session.',
      'The 1 read-only tool of “notes” at that time, in this session.',
    ]);
    const durations = grantDurations.map((duration) =>
      formatGrant(grantOf({ scope: 'readOnlyTools', duration, tools: { a: '', b: '' } })),
    );
    assert.deepEqual(durations, [
      'The 2 read-only tools of “notes” at that time, in this session.',
      'The 2 read-only tools of “notes” at that time, in this workspace.',
      'The 2 read-only tools of “notes” at that time, always.',
    ]);
  });

  const itemOf = async (state: Partial<GrantState>): Promise<PermissionItem> => {
    const grants = {
      all: async () => [{ grant: grantOf(), suspendedTools: 0, ...state }],
      withdraw: async () => undefined,
      withdrawAll: async () => undefined,
    };
    const [item] = await grantPermissions(grants).all();
    assert.ok(item);
    return item;
  };

  it('say when and where it was given, and when it was last used', async () => {
    const never = await itemOf({});
    assert.match(never.detail, /^given .*1970.* from the command palette · never used$/);
    const used = await itemOf({ grant: grantOf({ lastUsedAt: 1, origin: 'api' }) });
    assert.match(used.detail, /^given .*1970.* from another extension · last used .*1970/);
  });

  it('say why a suspended one is suspended', async () => {
    const suspended = await itemOf({ suspended: 'toolChanged', suspendedTools: 1 });
    assert.equal(suspended.description, 'always · suspended: the tool changed');
    assert.ok(suspended.about.join('\n').includes(formatSuspension('toolChanged')));
    const grant = grantOf({ scope: 'readOnlyTools', tools: { a: '', b: '', c: '' } });
    const partly = await itemOf({ grant, suspendedTools: 2 });
    assert.equal(partly.description, 'always · suspended for 2 changed tools');
    assert.deepEqual(partly.about.slice(7, 10), ['a', 'b', 'c']);
  });

  it('show hidden characters of a name, bounded', async () => {
    const name = `a\u202E\n[x](command:y)${'x'.repeat(5_000)}`;
    const grant = grantOf({ server: name, tools: { [name]: '' } });
    const { label, about } = await itemOf({ grant });
    for (const text of [label, formatGrant(grant), ...about]) {
      assert.doesNotMatch(text, /[\u202E\n]|\]\(/);
      assert.ok(text.length < 1_000);
    }
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`t${index}`, '']));
    const listed = await itemOf({ grant: grantOf({ scope: 'readOnlyTools', tools: many }) });
    assert.ok(listed.about.includes('… and 450 more'));
  });
});
