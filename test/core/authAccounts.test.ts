import assert from 'node:assert/strict';
import { isMcpError } from '../../src/core/errors';
import { AuthScene } from './authScene';

describe('A sign-in as another account', () => {
  let scene: AuthScene;
  beforeEach(async () => {
    scene = await AuthScene.open();
    scene.wantsAnother = true;
  });
  afterEach(() => scene.close());

  const prompt = async (listed: readonly string[] | undefined, challenge = 'Bearer') => {
    scene.describe({ scopes_supported: ['offline_access'], prompt_values_supported: listed });
    await scene.refused(challenge);
    return scene.opened.get('prompt');
  };
  const all = ['none', 'login', 'consent', 'select_account'];

  it('lets the user choose, if the server supports that prompt', async () => {
    assert.equal(await prompt(all), 'select_account');
  });

  it('does not happen if the user wants no other account', async () => {
    scene.wantsAnother = false;
    assert.equal(await prompt(all), null);
  });

  it('does not ask for a choice if the server does not list it', async () => {
    assert.equal(await prompt(undefined), null);
  });

  it('asks for the choice together with offline access', async () => {
    assert.equal(await prompt(all, 'Bearer scope="a"'), 'select_account consent');
  });

  it('requests nothing that the server does not list', async () => {
    assert.equal(await prompt(['select_account'], 'Bearer scope="a"'), 'select_account');
  });

  it('does not reuse the account that was lost', async () => {
    scene.wantsAnother = false;
    scene.issuer.answer('/token', { access_token: 'a', refresh_token: 'r', token_type: 'Bearer' });
    await scene.refused();
    const first = scene.grant?.account;
    scene.issuer.answer('/token', { error: 'invalid_grant' }, 400);
    scene.person.isAway = true;
    await assert.rejects(scene.refused(), (error) => isMcpError(error, 'signInNeeded'));
    assert.equal(scene.store.grants.size, 0);
    scene.person.isAway = false;
    scene.wantsAnother = true;
    scene.issuer.answer('/token', { access_token: 'b', token_type: 'Bearer' });
    await scene.refused();
    assert.notEqual(scene.grant?.account, first);
  });
});
