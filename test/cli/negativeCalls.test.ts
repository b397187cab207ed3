import assert from 'node:assert/strict';
import { scripted, type ScriptedServer } from '../servers/scripted';
import { runCommand, useWorkspaces } from './program';

const workspace = useWorkspaces();

/** Judges arguments by itself, as servers have to. No variable stands in it: a configuration would fill it in. */
function strict(server: ScriptedServer): void {
  const inputSchema = {
    type: 'object',
    properties: { id: { type: 'number' } },
    required: ['id'],
  };
  server.tools = [{ name: 'read', inputSchema }];
  server.on('tools/call', (message) => {
    const given = message.params?.['arguments'];
    const id: unknown = given === undefined ? undefined : Reflect.get(Object(given), 'id');
    if (typeof id === 'number') server.text(message, String(id));
    else server.fail(message, -32602, 'Invalid arguments: id is '.concat(typeof id));
  });
}

describe('A call that expects a protocol error', () => {
  const call = (rest: object) => ({ server: 'tickets', tool: 'read', ...rest });
  const asIs = { arguments: { id: 'one' }, send: 'asIs' };

  /** `name status: sentences` of every call. */
  async function run(calls: object, ...options: readonly string[]) {
    const folder = workspace({
      '.mcp.json': { mcpServers: { tickets: scripted(strict) } },
      'a.mcpcall': { calls },
    });
    const parameters = options.length === 0 ? ['--max-risk', 'destructive'] : options;
    const whole = ['test', '--reporter', 'json', ...parameters];
    const { stdout, code } = await runCommand(folder, whole);
    const report: {
      calls: { name: string; status: string; reasons: { sentence: string }[] }[];
    } = JSON.parse(stdout);
    const lines = report.calls.map(({ name, status, reasons }) =>
      [`${name} ${status}`, ...reasons.map(({ sentence }) => sentence)].join(': '),
    );
    return { lines, code };
  }

  it('is sent as is, and passes if the named error is returned', async () => {
    const error = { code: -32602, message: 'Invalid arguments: id is string' };
    const { lines, code } = await run({
      exact: call({ ...asIs, expect: { error } }),
      pattern: call({ send: 'asIs', expect: { error: { matches: 'id is undef' } } }),
      any: call({ ...asIs, expect: { error: {}, under: 60_000 } }),
      judged: call({ arguments: { id: 'one' }, expect: { error } }),
    });
    assert.deepEqual(lines.slice(0, 3), ['exact passed', 'pattern passed', 'any passed']);
    assert.match(lines[3] ?? '', /^judged errored: .*the arguments do not match the schema/);
    assert.equal(code, 1);
  });

  it('fails and shows both errors for another error, fails for an answer, and is errored if none is expected', async () => {
    const { lines } = await run({
      code: call({ ...asIs, expect: { error: { code: -32601, message: 'no' } } }),
      pattern: call({ ...asIs, expect: { error: { matches: 'locked' } } }),
      answer: call({ arguments: { id: 1 }, expect: { error: { code: -32602 } } }),
      plain: call(asIs),
    });
    const is = '-32602 Invalid arguments: id is string';
    assert.deepEqual(lines, [
      `code failed: Expected error -32601, but got ${is}.: Expected error no, but got ${is}.`,
      `pattern failed: Expected an error that matches locked, but got ${is}.`,
      'answer failed: Expected an error instead of a result, but the tool returned a result.',
      'plain errored: "read" of "tickets": it answered with an error (code -32602). Details: Invalid arguments: id is string',
    ]);
  });

  it('goes through the gate like any other: rules decide', async () => {
    const { lines, code } = await run(
      { one: call({ ...asIs, expect: { error: {} } }) },
      '--max-risk',
      'readOnly',
    );
    assert.match(lines[0] ?? '', /^one skipped/);
    assert.equal(code, 3);
  });
});
