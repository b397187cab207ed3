import { existsSync } from 'node:fs';
import { isJsonObject } from '../core/json/shapes';
import type { JsonValue } from '../core/json/jsonValue';
import type { Tool } from '../core/types';
import { visibleText } from '../core/visibleText';
import type { CommandTools } from './commandTools';
import type { CliOutput } from './cliOutput';
import { withStarted } from './callCommand';
import { declaredFields } from './typedArguments';
import { onlyServer } from './typedServer';
import { typedModule } from './toolTypes';
import { exitCodes, type ExitCode } from './exitCodes';

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
  { session, output, folder, chosen, context: { program } }: CommandTools,
): Promise<ExitCode> {
  const server = onlyServer('generate', operands);
  return withStarted(server, { session, output }, ({ tools, config }) => {
    const { launch, isTypeScript } = chosen;
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
  const { required } = inputSchema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields = declaredFields(inputSchema).filter(({ name }) => optionName.test(name));
  const options = fields.map(({ name, declared, schema, types, items }) => {
    const kind = kindOf(types);
    const described = [declared, schema].find((each) => descriptionOf(each) !== undefined);
    const isNegatable = kind === 'flag' && fields.every((each) => each.name !== `no-${name}`);
    return {
      name,
      kind,
      ...(isNegatable ? { negation: `no-${name}` } : {}),
      types: kind === 'list' ? jsonTypes(items.types, items.schema) : jsonTypes(types, schema),
      isRequired: needed.includes(name),
      text: textOf(descriptionOf(described ?? true), redact),
    };
  });
  return { text: textOf(description, redact), options };
}

function descriptionOf(schema: JsonValue): JsonValue | undefined {
  return isJsonObject(schema) ? schema['description'] : undefined;
}

function textOf(text: unknown, redact: CliOutput['redact']): string {
  return typeof text === 'string' ? visibleText(redact(text), maxTextChars) : '';
}

function kindOf(types: readonly string[]): 'flag' | 'list' | 'value' {
  const only = types.filter((type) => type !== 'null').join();
  if (only === 'boolean') return 'flag';
  return only === 'array' ? 'list' : 'value';
}

/**
 * Returns the types of JSON that a value of an option is read as. With `string`, all other values are
 * texts, and only objects and arrays are read as JSON, so that `5` and `null` stay texts.
 */
function jsonTypes(types: readonly string[], schema: JsonValue): readonly string[] {
  const listed = isJsonObject(schema) ? schema['enum'] : undefined;
  if (types.length === 0 && Array.isArray(listed)) return [...new Set(listed.map(jsonTypeOf))];
  if (types.length === 0) return ['string', 'object', 'array'];
  const isText = types.includes('string');
  return types
    .filter((type) => !isText || ['string', 'object', 'array'].includes(type))
    .map((type) => (type === 'integer' ? 'number' : type));
}

function jsonTypeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
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
    for (const { name: option, kind, negation, types, isRequired, text } of tool.options) {
      const isJson = types.includes('object') || types.includes('array');
      const value = kind === 'flag' ? '' : isJson && !types.includes('string') ? ' <json>' : ' <value>';
      const other = negation === undefined ? '' : ', --' + negation;
      write('  --' + option + other + value + (isRequired ? ' (required)' : '') + '  ' + text);
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
  tool.options.flatMap(({ name: option, kind, negation }) => {
    const type = kind === 'flag' ? 'boolean' : 'string';
    const other = negation === undefined ? [] : [[negation, { type: 'boolean' }]];
    return [[option, { type, multiple: kind === 'list' }], ...other];
  }),
);
const parse = () => {
  try {
    return parseArgs({ args: own, options }).values;
  } catch (error) {
    return usage(error.message);
  }
};
const values = parse();
for (const { name: option, negation } of tool.options) {
  if (negation === undefined || values[negation] !== true) continue;
  if (values[option] === true) usage('Use one of --' + option + ' and --' + negation + '.');
  values[option] = false;
}
const missing = tool.options.find((each) => each.isRequired && values[each.name] === undefined);
if (missing !== undefined) usage('--' + missing.name + ' is required.');
const typeOf = (text) => {
  try {
    const value = JSON.parse(text);
    return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  } catch {
    return undefined;
  }
};
// JSON is passed on as it was typed, so that long numbers stay exact.
const jsonOf = ({ name: option, types }, text) => {
  const type = typeOf(text);
  if (type !== 'string' && types.includes(type)) return text;
  if (types.includes('string')) return JSON.stringify(text);
  return usage('--' + option + ' takes JSON of this type: ' + types.join(' or ') + '.');
};
const members = tool.options.flatMap((option) => {
  const value = values[option.name];
  if (value === undefined) return [];
  const json = Array.isArray(value)
    ? '[' + value.map((each) => jsonOf(option, each)).join() + ']'
    : option.kind === 'flag' ? String(value) : jsonOf(option, value);
  return [JSON.stringify(option.name) + ':' + json];
});
// The name of the server comes before that of the tool; options may follow both.
const isNamed = server.length > 0 && !server[0].startsWith('--');
const operands = isNamed ? [server[0], name] : [name];
const rest = isNamed ? server.slice(1) : server;
// Without options, those behind "--" may pass the arguments and use standard input.
const isGiven = members.length > 0;
const fromInput = isGiven ? ['--arguments', '-'] : [];
const all = [program, 'call', ...rest, ...passed, ...fromInput, '--', ...operands];
const { status, error } = spawnSync(node ?? process.execPath, all, {
  cwd: folder,
  stdio: [isGiven ? 'pipe' : 'inherit', 'inherit', 'inherit'],
  input: isGiven ? '{' + members.join() + '}' : undefined,
});
if (error !== undefined) process.stderr.write(error.message + '\n');
process.exit(status ?? 1);
`;
