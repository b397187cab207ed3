import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { SecretValues } from '../../src/host/secrets/secretValues';
import { inputStores } from './inputStores';

const many = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index.toString().padStart(6, '0')}`);

describe('Secrets of the user', () => {
  it('are not forgotten, however many there are', () => {
    const values = new SecretValues();
    const secrets = many(25_000, 'typed');
    for (const secret of secrets) values.add(secret);
    const first = secrets[0] ?? '';
    assert.equal(values.redact(`x ${first} ${secrets.at(-1)}`), 'x (secret) (secret)');
  });

  it('are not displaced by those of configurations', async () => {
    const { remembered, values } = inputStores();
    const place = { kind: 'workspaceFile', path: '/w/mcp.json', id: 'token' };
    await remembered.set(place, true, 'typed-by-the-person');
    for (let run = 0; run < 20; run += 1) {
      const held = values.hold(many(5_000, `literal-${run}`));
      assert.equal(values.redact('typed-by-the-person'), '(secret)');
      held.release();
    }
    assert.equal(values.redact('typed-by-the-person'), '(secret)');
  });

  it('stay known if a configuration contains them too and its server has stopped', () => {
    const values = new SecretValues();
    const before = values.hold(['both-of-them']);
    values.add('both-of-them');
    before.release();
    const after = values.hold(['both-of-them', ...many(500, 'other')]);
    after.release();
    for (let run = 0; run < 10; run += 1) values.hold(many(500, `later-${run}`)).release();
    assert.equal(values.redact('both-of-them'), '(secret)');
  });

  it('that are very long are recognized by their beginning', () => {
    const values = new SecretValues();
    const secret = randomBytes(60_000).toString('hex');
    values.add(secret);
    assert.match(values.redact(`<${secret.slice(0, 4_000)}>`), /^<\(secret\)/);
    assert.ok(!values.redact(secret.slice(0, 4_000)).includes(secret.slice(0, 32)));
  });
});

describe('Secrets in the configuration of a server', () => {
  it('apply from its start, and to its output after its end', () => {
    const values = new SecretValues();
    assert.equal(values.redact('literal-one'), 'literal-one');
    const held = values.hold(['literal-one']);
    assert.equal(values.redact('literal-one'), '(secret)');
    held.release();
    held.release();
    assert.equal(values.redact('literal-one'), '(secret)');
  });

  it('that is running are not dropped for those of servers that ended', () => {
    const values = new SecretValues();
    values.hold(['still-running-one']);
    values.hold(['ended-long-ago-1']).release();
    for (let run = 0; run < 30; run += 1) values.hold(many(500, `r${run}`)).release();
    assert.equal(values.redact('still-running-one'), '(secret)');
    assert.equal(values.redact('ended-long-ago-1'), 'ended-long-ago-1');
    assert.equal(values.redact('r29-000499'), '(secret)');
  });

  it('have a budget for each server, and report what exceeds it', () => {
    const values = new SecretValues();
    const greedy = values.hold(many(5_000, 'greedy'));
    assert.ok(greedy.leftOut > 0 && greedy.leftOut < 5_000, String(greedy.leftOut));
    const long = values.hold([randomBytes(900_000).toString('hex'), 'after-a-long-one']);
    assert.equal(long.leftOut, 1);
    const modest = values.hold(['modest-literal']);
    assert.equal(modest.leftOut, 0);
    assert.equal(values.redact('modest-literal after-a-long-one'), '(secret) (secret)');
  });

  it('that two servers share stay until both have ended, including their encoded forms', () => {
    const values = new SecretValues();
    const one = values.hold(['shared-value', 'prefix']);
    const two = values.hold(['shared-value', 'prefix-and-more']);
    const flood = () => {
      for (let run = 0; run < 5; run += 1) values.hold(many(500, `f${run}`)).release();
    };
    one.release();
    flood();
    assert.equal(values.redact('shared-value prefix-and-more'), '(secret) (secret)');
    two.release();
    flood();
    assert.equal(values.redact('shared-value prefix-and-more'), 'shared-value prefix-and-more');
  });
});

describe('Redacting a line', () => {
  const filler = (length: number) => randomBytes(length).toString('base64').slice(0, length);

  it('needs no more time with 25,000 secrets of the same beginning, and while they are added', () => {
    const values = new SecretValues();
    const secrets = Array.from({ length: 25_000 }, () => `ghp_${filler(36)}`);
    for (const secret of secrets) values.add(secret);
    const plain = Array.from({ length: 50 }, () => filler(4_000));
    const alike = Array.from({ length: 50 }, () => 'ghp_AbCdEfGh '.repeat(300));
    const full = secrets.slice(0, 50).map((secret) => `${secret} `.repeat(80));
    // A look at every secret for each of them would take minutes, and the test may not.
    for (const line of [...plain, ...alike, ...full]) values.redact(line);
    for (const [index, line] of plain.entries()) {
      values.add(`ghp_more${index}${filler(30)}`);
      values.redact(line);
    }
    assert.equal(values.redact(secrets[0] ?? ''), '(secret)');
  });

  it('is bounded if many secrets and the text are one repeated letter', () => {
    const values = new SecretValues();
    for (let length = 4; length < 1_000; length += 1) values.add('a'.repeat(length));
    // Where each is looked for at each letter it takes minutes, and the test may not.
    for (let count = 0; count < 20; count += 1) values.redact('aaaaaaaab'.repeat(900));
    assert.equal(values.redact(`<${'a'.repeat(5_000)}>`), '<(secret)>');
  });
});
