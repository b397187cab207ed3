import { existsSync } from 'node:fs';
import { isJsonObject } from '../core/json/shapes';
import type { JsonValue } from '../core/json/jsonValue';
import type { Tool } from '../core/types';
import { visibleText } from '../core/visibleText';
import type { CommandTools } from './commandTools';
import type { CliOptions } from './cliOptions';
import type { CliOutput } from './cliOutput';
import { withStarted } from './callCommand';
import { onlyServer } from './typedServer';
import { typedModule } from './toolTypes';
import { exitCodes, type ExitCode } from './exitCodes';

export interface GenerateCommandOptions extends CommandTools {
  /** The path of this program, which the script runs. */
  readonly program: string;
  /** The options that name the server, as they were typed. */
  readonly launch: CliOptions['launch'];
  /** Declarations with a client are written in place of a script. */
  readonly isTypeScript: boolean;
}

const maxTextChars = 500;
/** Other names cannot be typed as an option. */
const optionName = /^[A-Za-z_][\w.-]*$/;

/**
 * Writes a script that has the tools of a server as subcommands, with their arguments as options. The
 * script runs `toolgate call`, so rules, the lock file and sign-ins apply as they do there, and it holds
 * no secrets.
 * @throws {UsageError}
 */
export async function generateCommand(
  operands: readonly string[],
  { session, output, folder, program, launch, isTypeScript }: GenerateCommandOptions,
): Promise<ExitCode> {
  const server = onlyServer('generate', operands);
  return withStarted(server, { session, output }, ({ tools, config }) => {
    const isTyped = config.source.kind === 'setting';
    const callable = tools.flatMap(({ tool }) => (tool.callable ? [tool] : []));
    // The program is no file in a single executable, which runs it itself.
    const node = existsSync(program) ? null : process.execPath;
    const start = { node, program, folder, server: isTyped ? launch : [server, ...launch] };
    if (isTypeScript) {
      output.reportJson(typedModule(callable, JSON.stringify(start, undefined, 2), output.redact));
      return Promise.resolve(exitCodes.passed);
    }
    const facts = {
      ...start,
      tools: Object.fromEntries(callable.map((tool) => [tool.name, toolFacts(tool, output)])),
    };
    output.reportJson(script(facts));
    return Promise.resolve(exitCodes.passed);
  });
}

function toolFacts({ description = '', inputSchema }: Tool, { redact }: CliOutput) {
  const { properties, required } = inputSchema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const options = Object.entries(isJsonObject(properties) ? properties : {})
    .filter(([name]) => optionName.test(name))
    .map(([name, schema]) => ({
      name,
      kind: kindOf(schema),
      isRequired: needed.includes(name),
      text: textOf(isJsonObject(schema) ? schema['description'] : undefined, redact),
    }));
  return { text: textOf(description, redact), options };
}

function textOf(text: unknown, redact: CliOutput['redact']): string {
  return typeof text === 'string' ? visibleText(redact(text), maxTextChars) : '';
}

/** `toolgate call` reads the value of `json` as JSON, and finds out the type of `text` itself. */
function kindOf(schema: JsonValue): 'text' | 'flag' | 'list' | 'json' {
  const type = isJsonObject(schema) ? schema['type'] : undefined;
  if (type === 'boolean') return 'flag';
  if (type === 'array') return 'list';
  return type === 'object' ? 'json' : 'text';
}

function script(facts: { readonly program: string }): string {
  const json = JSON.stringify(facts, undefined, 2);
  return `#!/usr/bin/env node
// Made by "toolgate generate". Each tool is a subcommand; options behind "--" are those of "toolgate call".
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { node, program, folder, server, tools } = ${json};
${runtime}`;
}

const runtime = String.raw`
const [name, ...given] = process.argv.slice(2);
const tool = Object.hasOwn(tools, name ?? '') ? tools[name] : undefined;
const usage = (problem) => {
  const stream = problem === undefined ? process.stdout : process.stderr;
  const write = (line) => stream.write(line + '\n');
  if (problem !== undefined) write(problem);
  if (tool === undefined) {
    write('Tools:');
    for (const [each, { text }] of Object.entries(tools)) write('  ' + each + '  ' + text);
  } else {
    write(name + '  ' + tool.text);
    for (const { name: option, kind, isRequired, text } of tool.options) {
      const value = kind === 'flag' ? '' : kind === 'json' ? ' <json>' : ' <value>';
      write('  --' + option + value + (isRequired ? ' (required)' : '') + '  ' + text);
    }
  }
  process.exit(problem === undefined ? 0 : 2);
};
const end = given.indexOf('--');
const own = end === -1 ? given : given.slice(0, end);
const passed = end === -1 ? [] : given.slice(end + 1);
if (tool === undefined) usage(name === undefined || name === '--help' ? undefined : 'There is no tool ' + name + '.');
if (own.includes('--help')) usage();
const options = Object.fromEntries(
  tool.options.map(({ name: option, kind }) => [
    option,
    { type: kind === 'flag' ? 'boolean' : 'string', multiple: kind === 'list' },
  ]),
);
const parse = () => {
  try {
    return parseArgs({ args: own, options }).values;
  } catch (error) {
    return usage(error.message);
  }
};
const values = parse();
const missing = tool.options.find((each) => each.isRequired && values[each.name] === undefined);
if (missing !== undefined) usage('--' + missing.name + ' is required.');
const args = tool.options.flatMap(({ name: option, kind }) =>
  [values[option] ?? []].flat().map((value) => option + (kind === 'json' ? ':=' : '=') + value),
);
// The name of the server comes before that of the tool; options may follow both.
const isNamed = server.length > 0 && !server[0].startsWith('--');
const operands = isNamed ? [server[0], name] : [name];
const rest = isNamed ? server.slice(1) : server;
const all = [program, 'call', ...rest, ...passed, '--', ...operands, ...args];
const { status, error } = spawnSync(node ?? process.execPath, all, { cwd: folder, stdio: 'inherit' });
if (error !== undefined) process.stderr.write(error.message + '\n');
process.exit(status ?? 1);
`;
