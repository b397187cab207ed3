import { UsageError } from '../exitCodes';
import { commandNames, commandTable, type CliCommand, type CommandEntry } from './commandTable';
import { optionNames } from './help';
import { optionTable, type OptionEntry, type OptionName } from './optionTable';

/** Makes the script of a shell from the tables of commands and options. @throws {UsageError} */
export function completionScript(operands: readonly string[]): string {
  const [shell, ...rest] = operands;
  if (rest.length === 0 && shell === 'bash') return bashScript();
  if (rest.length === 0 && shell === 'zsh') return zshScript();
  if (rest.length === 0 && shell === 'fish') return fishScript();
  throw new UsageError('completion requires the name of a shell: bash, zsh or fish.');
}

/** Includes the options that every command has. */
function optionsOf(command: CliCommand): readonly OptionName[] {
  const { options }: CommandEntry = commandTable[command];
  return optionNames().filter((name) => options.includes(name) || name === 'help');
}

function offersOf(name: OptionName): OptionEntry['offers'] {
  const { offers }: OptionEntry = optionTable[name];
  return offers;
}

function flags(command: CliCommand): string {
  return optionsOf(command)
    .map((name) => `--${name}`)
    .join(' ');
}

function bashScript(): string {
  const values = optionNames().flatMap((name) => {
    const { type, offers }: OptionEntry = optionTable[name];
    if (type === 'boolean') return [];
    const kind =
      offers === 'file' ? '-f' : offers === 'folder' ? '-d' : `-W "${(offers ?? []).join(' ')}"`;
    return [`    --${name}) COMPREPLY=($(compgen ${kind} -- "$word")); return ;;`];
  });
  const commands = commandNames.map((command) => {
    const { offers }: CommandEntry = commandTable[command];
    const words = Array.isArray(offers) ? ` ${offers.join(' ')}` : '';
    const files = offers === 'file' ? ' $(compgen -f -- "$word")' : '';
    return `    ${command}) COMPREPLY=($(compgen -W "${flags(command)}${words}" -- "$word")${files}) ;;`;
  });
  return `_toolgate() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  case "$before" in
${values.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commandNames.join(' ')} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.join('\n')}
  esac
}
complete -F _toolgate toolgate
`;
}

function zshScript(): string {
  const commands = commandNames.map(
    (name) => `    ${single(`${name}:${commandTable[name].summary}`)}`,
  );
  const cases = commandNames.map((command) => {
    const specs = optionsOf(command).map((name) => `      ${single(zshOption(name))}`);
    const { offers }: CommandEntry = commandTable[command];
    const operand = Array.isArray(offers)
      ? `*: :(${offers.join(' ')})`
      : offers === 'file'
        ? '*: :_files'
        : '*: :';
    return `    ${command}) _arguments -S ${['', ...specs, `      ${single(operand)}`].join(' \\\n')} ;;`;
  });
  return `#compdef toolgate
_toolgate() {
  local -a commands
  commands=(
${commands.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    compadd -- --help --version
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _toolgate ]; then _toolgate "$@"; else compdef _toolgate toolgate; fi
`;
}

function zshOption(name: OptionName): string {
  const { type, multiple, help }: OptionEntry = optionTable[name];
  const text = help.replaceAll(/[[\]:\\]/g, '\\$&');
  const offers = offersOf(name);
  const action =
    offers === 'file'
      ? '_files'
      : offers === 'folder'
        ? '_files -/'
        : `(${(offers ?? []).join(' ')})`;
  const value = type === 'boolean' ? '' : `: :${offers === undefined ? ' ' : action}`;
  return `${multiple === true ? '*' : ''}--${name}[${text}]${value}`;
}

function fishScript(): string {
  const isFirst = `not __fish_seen_subcommand_from ${commandNames.join(' ')}`;
  const commands = commandNames.map(
    (name) =>
      `complete -c toolgate -f -n ${single(isFirst)} -a ${name} -d ${single(commandTable[name].summary)}`,
  );
  const words = commandNames.flatMap((command) => {
    const { offers }: CommandEntry = commandTable[command];
    const isSeen = single(`__fish_seen_subcommand_from ${command}`);
    if (offers === 'file') return [`complete -c toolgate -F -n ${isSeen}`];
    return Array.isArray(offers)
      ? [`complete -c toolgate -f -n ${isSeen} -a ${single(offers.join(' '))}`]
      : [];
  });
  const options = optionNames().map((name) => {
    const { type, short, help }: OptionEntry = optionTable[name];
    const users = commandNames.filter((command) => optionsOf(command).includes(name));
    const seen =
      users.length === 0 ? '' : ` -n ${single(`__fish_seen_subcommand_from ${users.join(' ')}`)}`;
    const offers = offersOf(name);
    const kind =
      offers === 'file' || offers === 'folder'
        ? '-r -F'
        : `-x${offers === undefined ? '' : ` -a ${single(offers.join(' '))}`}`;
    return `complete -c toolgate${seen} -l ${name}${short === undefined ? '' : ` -s ${short}`}${type === 'boolean' ? ' -f' : ` ${kind}`} -d ${single(help)}`;
  });
  return ['complete -c toolgate -f', ...commands, ...words, ...options, ''].join('\n');
}

/** Quotes a text with single quotes, which bash, zsh and fish close and open again around a quote of the text. */
function single(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
