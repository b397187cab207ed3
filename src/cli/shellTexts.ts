import { hasInvisibleCharacters, visibleText } from '../core/visibleText';
import type { JsonValue } from '../core/json/jsonValue';
import { isJsonObject } from '../core/json/shapes';
import type { ToolEntry } from '../host/connections/snapshot';
import type { CliOutput } from './cliOutput';
import { inLine } from './errorMessage';
import type { ListedResources } from './listedResources';
import { declaredFields } from './typedArguments';

/** Commands of a line that are commands of the program, too. */
const lineCommands = [
  'call',
  'diagnose',
  'follow',
  'list',
  'ping',
  'prompt',
  'read',
  'skills',
  'tasks',
] as const;

export function isLineCommand(name: string): name is (typeof lineCommands)[number] {
  return lineCommands.some((each) => each === name);
}

/** The help of the shell, by usage. */
const usages: Readonly<Record<string, string>> = {
  list: 'List all of the next three.',
  tools: 'List tools with their risks.',
  resources: 'List resources and templates.',
  prompts: 'List prompts.',
  'describe <tool>': 'Show a tool and its arguments.',
  'call <tool> name=value …':
    'Call a tool, as "toolgate call" does. The name of the tool is enough.',
  'read <uri>': 'Read a resource.',
  'prompt <name> name=value …': 'Get a prompt.',
  'follow [uri]': 'Write changes of a resource or of lists, until Ctrl+C.',
  'tasks, skills, ping, diagnose': 'Do the same as the commands of the program.',
  log: 'Show the last lines of the log and of standard error of the server.',
  restart: 'Restart the server.',
  'help [tool or command]': 'Show this help, or that of a tool or command.',
  'exit, quit': 'Stop the server and leave.',
};

/** The names that may begin a line. */
export const shellCommands: readonly string[] = Object.keys(usages).flatMap((usage) =>
  usage.includes(', ') ? usage.split(', ') : usage.split(' ', 1),
);

/** Further candidates are not offered. */
const maxOffered = 500;
const maxTextChars = 2_000;
const maxFieldChars = 300;

export function shellHelp(): string {
  const width = Math.max(...Object.keys(usages).map(({ length }) => length)) + 2;
  return Object.entries(usages)
    .map(([usage, text]) => `  ${usage.padEnd(width)}${text}\n`)
    .join('');
}

export function toolLine({ tool, risk }: ToolEntry, redact: CliOutput['redact']): string {
  const { name, title, description = '' } = tool;
  const about = inLine(redact(title ?? description).split('\n', 1)[0]);
  return `  ${inLine(redact(name))} (${tool.callable ? risk.level : 'unusable'})  ${about}\n`;
}

/** Describes a tool for reading: its texts, its risk, its arguments and the fields of its result. */
export function describeTool({ tool, risk }: ToolEntry, redact: CliOutput['redact']): string {
  const { name, title, description, inputSchema, outputSchema } = tool;
  const lines = (text: string | undefined): readonly string[] =>
    text === undefined ? [] : [visibleText(redact(text), maxTextChars, { newlines: 'keep' })];
  const hints = [risk.openWorld && 'open world', risk.idempotent && 'idempotent'];
  const says = [risk.level, ...hints.filter((each) => each !== false)].join(', ');
  return [
    `${inLine(redact(name))}  ${says} (${risk.basis})`,
    ...lines(title),
    ...lines(description),
    ...fieldLines('Arguments', inputSchema, redact),
    ...fieldLines('Result', outputSchema, redact),
    '',
  ].join('\n');
}

function fieldLines(
  heading: string,
  schema: JsonValue | undefined,
  redact: CliOutput['redact'],
): readonly string[] {
  if (!isJsonObject(schema)) return [];
  const { required } = schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const shown = (text: string): string => visibleText(redact(text), maxFieldChars);
  const lines = declaredFields(schema).map(({ name, types, schema: field }) => {
    const { enum: choices, description } = isJsonObject(field) ? field : {};
    const listed = Array.isArray(choices) ? choices.map((each) => JSON.stringify(each)) : types;
    const type = listed.length === 0 ? 'any' : listed.join(' or ');
    const text = typeof description === 'string' ? `  ${shown(description)}` : '';
    return `  ${shown(name)} (${shown(type)}${needed.includes(name) ? ', required' : ''})${text}`;
  });
  return lines.length === 0 ? [] : [`${heading}:`, ...lines];
}

/** Holds what completion may offer. */
export interface Completable {
  readonly tools: readonly ToolEntry[];
  /** Absent if the line needs no lists, or they did not come in time. */
  readonly listed: ListedResources | undefined;
  readonly redact: CliOutput['redact'];
}

/** Returns the candidates for the last word of a line, and that word, in the form of `node:readline`. */
export function completeLine(line: string, known: Completable): [string[], string] {
  const before = line.trimStart().split(/\s+/);
  const word = before.pop() ?? '';
  const found = candidates(before, word, known).filter(
    (each) => each.startsWith(word) && isPlain(each, known.redact),
  );
  const [only = '', ...others] = new Set(found);
  if (others.length > 0 || only === '') return [found.slice(0, maxOffered), word];
  // Another word follows a whole one.
  return [[only.endsWith('=') ? only : `${only} `], word];
}

/** A terminal would interpret control characters of names, and words with blanks need quotes. */
function isPlain(text: string, redact: CliOutput['redact']): boolean {
  return !hasInvisibleCharacters(text) && !/[\s"']/.test(text) && redact(text) === text;
}

function candidates(
  before: readonly string[],
  word: string,
  { tools, listed }: Completable,
): readonly string[] {
  const names = tools.map(({ tool }) => tool.name);
  const [command, subject, ...rest] = before;
  if (command === undefined) return [...shellCommands, ...names];
  if (command === 'help') return subject === undefined ? [...lineCommands, ...names] : [];
  if (subject === undefined && (command === 'call' || command === 'describe')) return names;
  if (subject === undefined && (command === 'read' || command === 'follow')) {
    return (listed?.resources ?? []).map(({ uri }) => uri);
  }
  if (command === 'prompt') {
    const prompts = listed?.prompts ?? [];
    if (subject === undefined) return prompts.map(({ name }) => name);
    const prompt = prompts.find(({ name }) => name === subject);
    return unused(
      (prompt?.arguments ?? []).map(({ name }) => name),
      rest,
    );
  }
  const isCall = command === 'call';
  const called = tools.find(({ tool }) => tool.name === (isCall ? subject : command))?.tool;
  if (called === undefined) return [];
  const fields = declaredFields(called.inputSchema);
  const field = fields.find(({ name }) => word.startsWith(`${name}=`));
  if (field === undefined)
    return unused(
      fields.map(({ name }) => name),
      before,
    );
  const { enum: choices } = isJsonObject(field.schema) ? field.schema : {};
  const values = field.types.includes('boolean') ? [true, false] : [];
  return (Array.isArray(choices) ? choices : values).map((each) => `${field.name}=${String(each)}`);
}

function unused(names: readonly string[], before: readonly string[]): readonly string[] {
  return names
    .map((name) => `${name}=`)
    .filter((name) => !before.some((each) => each.startsWith(name)));
}
