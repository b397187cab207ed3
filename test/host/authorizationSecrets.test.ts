import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { McpError } from '../../src/core/errors';
import { toPastError } from '../../src/host/history/pastCall';
import { CallRecorder } from '../../src/host/journal/callRecorder';
import { redactedError } from '../../src/host/secrets/redactSecrets';
import { journalIn } from './journalEntries';
import {
  grantOf,
  issuer,
  registrationOf,
  serverUrl,
  SharedSecrets,
  useAuthorizingWindows,
  type AuthorizingWindow,
} from './sharedSecrets';
import { useFolders } from './testFolders';
import { decidedCall } from './decidedCalls';

const server = '["userFile","/home/me/mcp.json","docs"]';
const other = '["userFile","/home/me/mcp.json","wiki"]';
/** All that a sign-in has which nobody may see. */
const attempt = ['code-of-the-browser', 'verifier-of-43-signs', 'state-of-32-bytes'];
const granted = ['access-token-one', 'refresh-token-one', 'proof-key-one'];
const secrets = [...attempt, ...granted, 'client-secret-one'];

/** How a secret stands in a log, a trace, an error, a report. */
const forms = (secret: string): readonly string[] => [
  `Authorization: Bearer ${secret}`,
  `Authorization: Basic ${Buffer.from(`client-1:${secret}`).toString('base64')}`,
  JSON.stringify({ body: JSON.stringify({ secret }) }),
  `http://127.0.0.1:1/callback?x=${encodeURIComponent(secret)}&y=1`,
];

describe('The secrets of a sign-in', () => {
  const newFolder = useFolders('authorization');
  const open = useAuthorizingWindows();

  /** A window that has just signed in. */
  async function signedIn(): Promise<
    AuthorizingWindow & { folder: string; shared: SharedSecrets }
  > {
    const shared = new SharedSecrets();
    const folder = newFolder();
    const window = open(shared, folder);
    const store = window.kept.forServer(server);
    for (const secret of attempt) store.learnSecret(secret);
    await store.keepRegistration(registrationOf());
    await store.keepGrant(serverUrl, grantOf());
    return { ...window, folder, shared };
  }

  function isHidden({ values }: Pick<AuthorizingWindow, 'values'>, secret: string): boolean {
    return forms(secret).every((text) => {
      const shown = values.redact(text);
      return shown !== text && !shown.includes(secret);
    });
  }

  it('are known to the logs of the window that signs in', async () => {
    const window = await signedIn();
    for (const secret of secrets) assert.ok(isHidden(window, secret), secret);
  });

  it('are known to another window before it gets them', async () => {
    const { shared, folder } = await signedIn();
    const later = open(shared, folder);
    assert.equal(isHidden(later, granted[0] ?? ''), false);
    await later.kept.forServer(server).grant(serverUrl);
    for (const secret of granted) assert.ok(isHidden(later, secret), secret);
    await later.kept.forServer(server).registration(issuer);
    assert.ok(isHidden(later, 'client-secret-one'));
    const revoking = open(shared, folder);
    await revoking.kept.signOut(grantOf(), () => {
      for (const secret of [...granted, 'client-secret-one']) {
        assert.ok(isHidden(revoking, secret), secret);
      }
      return Promise.resolve([]);
    });
  });

  it('are known before they are stored', async () => {
    const window = open(new SharedSecrets(), newFolder());
    window.secrets.isBroken = true;
    const keeping = window.kept.forServer(server).keepGrant(serverUrl, grantOf());
    for (const secret of granted) assert.ok(isHidden(window, secret), secret);
    await keeping;
  });

  it('are in no error from a server', async () => {
    const { values } = await signedIn();
    const redact = (text: string) => values.redact(text);
    for (const secret of secrets) {
      const error = new McpError('unauthorized', {
        detail: `refused ${secret}`,
        wwwAuthenticate: `Bearer error_description="${secret}"`,
      });
      const shown = redactedError(error, redact);
      assert.ok(!`${shown.message} ${JSON.stringify(shown.facts)}`.includes(secret), secret);
      assert.ok(!JSON.stringify(toPastError(error, false, redact)).includes(secret), secret);
    }
  });

  it('are in no journal', async () => {
    const { values } = await signedIn();
    const folder = newFolder();
    const { journal } = journalIn(folder);
    const recorder = new CallRecorder({
      journal,
      recordsArguments: () => true,
      isRequired: () => false,
      redact: (text) => values.redact(text),
    });
    for (const secret of secrets) {
      await recorder.decided(decidedCall(`${secret.length}`, { note: `with ${secret}` }));
      await recorder.ended(
        `${secret.length}`,
        { server: 'a', tool: 'login', origin: 'api' },
        {
          kind: 'failed',
          error: new McpError('unauthorized', { detail: `refused ${secret}` }),
          violations: [],
          durationMs: 1,
        },
      );
    }
    await journal.stop();
    const text = bytesIn(folder);
    assert.match(text, /with \(secret\)/);
    for (const secret of secrets) assert.ok(!text.includes(secret), secret);
  });

  it('are in no file, key, list or event', async () => {
    const { shared, folder, kept, problems } = await signedIn();
    const store = kept.forServer(server);
    const seen: string[] = [];
    kept.onDidChange((event) => seen.push(JSON.stringify(event) ?? ''));
    await store.exclusively(grantOf(), async () => {
      seen.push(bytesIn(folder));
      await store.keepGrant(serverUrl, grantOf({ accessToken: 'access-token-two' }));
    });
    seen.push(JSON.stringify([await kept.accounts(), await store.chosen(serverUrl), problems]));
    seen.push(JSON.stringify(await store.signOut(serverUrl, () => Promise.resolve([]))));
    seen.push(bytesIn(folder), [...shared.kept.keys()].join('\n'));
    assert.match(seen.join('\n'), /"machine"/);
    for (const secret of [...secrets, 'access-token-two', issuer, 'docs.example.com/mcp']) {
      const isName = secret === issuer || secret.startsWith('docs');
      const texts = isName ? [seen[0] ?? '', seen.at(-1) ?? ''] : seen;
      assert.ok(!texts.join('\n').includes(secret), secret);
    }
  });

  it('of one server replace none of others, however often they are renewed', async () => {
    const window = await signedIn();
    const { kept, values } = window;
    const run = values.hold(['literal-of-a-run']);
    run.release();
    const store = kept.forServer(other);
    for (let count = 0; count < 3_000; count += 1) store.learnSecret(`renewed-${count}-token`);
    for (const secret of secrets) assert.ok(isHidden(window, secret), secret);
    assert.equal(values.redact('literal-of-a-run'), '(secret)');
    assert.equal(values.redact('renewed-2999-token'), '(secret)');
    // Or the memory of the window would be the server's.
    assert.equal(values.redact('renewed-1-token'), 'renewed-1-token');
  });

  it('with large tokens stay within limits, and the latest is known', async () => {
    const { kept, values } = await signedIn();
    const store = kept.forServer(other);
    const token = (count: number) => `${count}-`.padEnd(30_000, `${count}abcdefgh`);
    for (let count = 0; count < 12; count += 1) store.learnSecret(token(count));
    assert.equal(values.redact(token(11)), '(secret)');
    assert.equal(values.redact(token(0)), token(0));
  });
});

/** Of every file below. */
function bytesIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(
      ({ name, parentPath }) => `${name}\n${readFileSync(path.join(parentPath, name), 'latin1')}`,
    )
    .join('\n');
}
