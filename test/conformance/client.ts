import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { constants, setPriority } from 'node:os';
import type { McpClient } from '../../src/core/client';
import { connectHttp } from '../../src/core/http/connectHttp';
import type { ElicitationRequest, ElicitationResult } from '../../src/core/input/elicitation';
import { toMcpError } from '../../src/core/errors';
import { verifySkillFile } from '../../src/core/skills/verifySkill';
import type { ConnectionLog } from '../../src/core/log';
import { signIn } from './signIn';
import type { SignInFacts } from './signIn';

// The client that the official conformance suite drives, with the address of a server as its last
// argument. The suite says by environment variables which scenario runs. What is tested is the core;
// here stands only what a person would do with it in that scenario. Says `done` at its end.
const url = process.argv.at(-1) ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as SignInFacts & {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
};
const isSignIn = scenario.startsWith('auth/');

const toStderr = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
const log: ConnectionLog = {
  info: toStderr,
  warn: toStderr,
  error: toStderr,
  stderr: toStderr,
  trace: (direction, json) => toStderr(`${direction} ${json}`),
  isTracing: () => process.env['TOOLGATE_TRACE'] !== undefined,
};

/** Agrees to every form and sends its defaults; where there is none, what the type allows. */
function acceptDefaults(request: ElicitationRequest): Promise<ElicitationResult> {
  if (request.mode !== 'form') return Promise.resolve({ action: 'decline' });
  const content = Object.fromEntries(
    request.fields.flatMap((field) => {
      if (field.default !== undefined) return [[field.name, field.default]];
      return field.kind === 'boolean' ? [[field.name, true]] : [];
    }),
  );
  return Promise.resolve({ action: 'accept', content });
}

/** Opens the first skill, and its other files only if that one is as listed. */
async function openSkill(client: McpClient): Promise<void> {
  const { skills } = await client.listSkills();
  const [skill] = skills;
  if (skill === undefined) throw new Error('There is no skill.');
  const { uri, files } = skill;
  const others = files === 'dynamic' ? [] : files.filter((file) => file.uri !== uri);
  for (const at of [uri, ...others.map((file) => file.uri)]) {
    const { contents } = await client.readResource(at);
    const verdict = verifySkillFile(skills, at, contents);
    if (verdict?.kind !== 'asListed') return;
  }
}

/** The stream for the server's own messages is open, or refused. */
const firstGetAnswered = new Promise<void>((resolve) => {
  subscribe('http.client.response.finish', (message) => {
    const { request } = message as { readonly request: ClientRequest };
    if (request.method === 'GET') resolve();
  });
});

/** What a person would do; everything else only looks at the list of tools. */
const acts: Record<string, (client: McpClient) => Promise<unknown>> = {
  tools_call: (client) => client.callTool('add_numbers', { a: 5, b: 3 }),
  'elicitation-sep1034-client-defaults': (client) =>
    client.callTool('test_client_elicitation_defaults', {}),
  'sse-retry': async (client) => {
    // The server of the suite takes any GET for the one that resumes the stream of the call.
    await firstGetAnswered;
    await client.callTool('test_reconnection', {});
  },
  'sep-2322-client-request-state': async (client) => {
    await Promise.all([
      client.callTool('test_mrtr_echo_state', {}),
      client.callTool('test_mrtr_unrelated', {}),
    ]);
    await client.callTool('test_mrtr_no_state', {});
    await client.callTool('test_mrtr_no_result_type', {});
  },
  'http-standard-headers': async (client) => {
    const { tools } = await client.listTools();
    for (const { name } of tools) await client.callTool(name, {});
    await client.readResource('file:///path/to/file%20name.txt?version=1');
  },
  'http-custom-headers': async (client) => {
    for (const call of context.toolCalls ?? []) await client.callTool(call.name, call.arguments);
  },
  'http-invalid-tool-headers': async (client) => {
    const { tools } = await client.listTools();
    for (const tool of tools) if (tool.callable) await client.callTool(tool.name, { region: 'x' });
  },
  'sep-2640-client-no-prefetch': (client) => client.listSkills(),
  'sep-2640-client-verify-digest': openSkill,
  'sep-2640-client-verify-size': openSkill,
  'sep-2640-client-verify-frontmatter': openSkill,
  'json-schema-2020-12-preservation': async (client) => {
    const { tools } = await client.listTools();
    const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
    await client.callTool('json_schema_echo', { schema });
  },
};

async function main(): Promise<void> {
  // One process serves thirty of these at once, and must not wait for all of them.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const client = await connectHttp({
    url,
    headers: {},
    log,
    clientInfo: { name: 'toolgate', title: 'Toolgate', version: '0' },
    input: { elicit: acceptDefaults },
    // All scenarios run at once: a slow machine is no silent server.
    limits: { startTimeoutMs: 170_000, probeTimeoutMs: 160_000 },
    ...(isSignIn ? { authorization: signIn(scenario, url, context, log) } : {}),
  });
  try {
    await client.listTools();
    if (isSignIn) await client.callTool('test-tool', {});
    else await acts[scenario]?.(client);
  } finally {
    await client.close();
  }
  process.stdout.write('done\n');
}

main().catch((error: unknown) => {
  const { code, facts } = toMcpError(error);
  toStderr(`${scenario}: ${code} ${facts.detail ?? ''}`);
  process.exitCode = 1;
});
