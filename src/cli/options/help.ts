import { UsageError } from '../exitCodes';
import {
  commandNames,
  commandTable,
  isCommand,
  type CliCommand,
  type CommandEntry,
} from './commandTable';
import { didYouMean } from '../../core/nearestName';
import { optionTable, type OptionEntry, type OptionName } from './optionTable';

const maxLineChars = 110;

/** Writes the help of one command, or the general help. @throws {UsageError} */
export function helpOf([name]: readonly string[]): string {
  if (name === undefined) return generalHelp();
  if (isCommand(name)) return commandHelp(name);
  throw new UsageError(`There is no command "${name}".${didYouMean(name, commandNames)}`);
}

/** Lists every command and option. */
function generalHelp(): string {
  const usages = commandNames.map((name) => `${name} ${commandTable[name].operands}`);
  const width = Math.max(...usages.map(({ length }) => length)) + 2;
  const commands = commandNames.map((name, index) =>
    entry(usages[index] ?? '', commandTable[name].summary, width),
  );
  return [
    'Usage: toolgate <command> [options]',
    `Commands\n${commands.join('\n')}`,
    `Options\n${optionLines(optionNames()).join('\n')}`,
    'Inputs ("${input:…}") are read from TOOLGATE_INPUT_<name>. Servers get theirs; call files those of --pass-input.',
    'Exit codes: 0 passed, 1 failed, 2 wrong usage, 3 a call was denied, 4 the lock file differs,\n5 a server did not start, 6 a change breaks callers, 130 cancelled.',
    '"toolgate help <command>" shows the options of a command, with examples.\n',
  ].join('\n\n');
}

/** Lists the options and examples of one command. */
function commandHelp(name: CliCommand): string {
  const { operands, summary, options, examples }: CommandEntry = commandTable[name];
  const shown = optionNames().filter((option) => options.includes(option) || option === 'help');
  return [
    `Usage: toolgate ${name} ${operands}${options.length === 0 ? '' : ' [options]'}`,
    summary,
    `Options\n${optionLines(shown).join('\n')}`,
    `Examples\n${examples.map((example) => `  toolgate ${example}`).join('\n')}\n`,
  ].join('\n\n');
}

/** Returns the names of the table in its order. */
export function optionNames(): readonly OptionName[] {
  return Object.keys(optionTable).filter((name): name is OptionName =>
    Object.hasOwn(optionTable, name),
  );
}

function optionLines(names: readonly OptionName[]): readonly string[] {
  const usages = names.map((name) => {
    const { short, value }: OptionEntry = optionTable[name];
    return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
  });
  const width = Math.max(...usages.map(({ length }) => length)) + 2;
  return names.map((name, index) => entry(usages[index] ?? '', optionTable[name].help, width));
}

/** Writes the text beside its subject in lines of equal width. */
function entry(usage: string, text: string, width: number): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    const longer = last === '' ? word : `${last} ${word}`;
    if (longer.length + width + 2 <= maxLineChars) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines
    .map((line, index) => `  ${(index === 0 ? usage : '').padEnd(width)}${line}`)
    .join('\n');
}
