import { splitLine } from './commandLine';
import type { ServerDraft } from './draft';
import { draftOfEntry } from './clientEntry';
import { draftsOfJson } from './jsonDrafts';

/**
 * The server that another program's own command would add: `claude mcp add …` (also of Codex and
 * Gemini), `claude mcp add-json …`, `code --add-mcp …`. Pages of servers show these. `undefined` for
 * any other line.
 */
export function draftOfAddCommand(line: string): ServerDraft | undefined {
  const parts = splitLine(line.trim().replace(/^(?:\$|%|>) +/, ''));
  const [program, ...rest] = parts ?? [];
  if (program === undefined) return undefined;
  const addMcp = rest.findIndex((part) => part === '--add-mcp');
  if (/^(?:code(?:-insiders)?|codium|cursor)$/.test(program) && addMcp >= 0) {
    return draftsOfJson(rest[addMcp + 1] ?? '')[0];
  }
  if (!/^(?:claude|codex|gemini)$/.test(program) || rest[0] !== 'mcp') return undefined;
  if (rest[1] === 'add-json') {
    const [name, json] = rest.slice(2).filter((part) => !part.startsWith('-'));
    const [draft] = draftsOfJson(json ?? '');
    return draft === undefined || name === undefined ? draft : { ...draft, name };
  }
  return rest[1] === 'add' ? draftOfAdd(rest.slice(2)) : undefined;
}

const valueOptions = /^(?:-s|--scope|-t|--transport|-e|--env|-H|--header|--url)$/;

function draftOfAdd(parts: readonly string[]): ServerDraft | undefined {
  const given = new Map<string, string[]>();
  const words: string[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? '';
    // An address has options behind it.
    if (part === '--' || (words.length === 2 && !isAddress(words[1]))) {
      // The command begins; what looks like an option is its own.
      words.push(...parts.slice(part === '--' ? index + 1 : index));
      break;
    }
    const [, option = part, attached] = /^(--?[a-z]+)=(.*)$/s.exec(part) ?? [];
    if (!valueOptions.test(option)) {
      if (!part.startsWith('-')) words.push(part);
      continue;
    }
    const value = attached ?? parts[(index += 1)] ?? '';
    given.set(option, [...(given.get(option) ?? []), value]);
  }
  const valuesOf = (...names: readonly string[]) => names.flatMap((name) => given.get(name) ?? []);
  const [name, command, ...args] = words;
  const url = valuesOf('--url')[0] ?? (isAddress(command) ? command : undefined);
  const [type] = valuesOf('-t', '--transport');
  if (name === undefined) return undefined;
  const headers = pairs(valuesOf('-H', '--header'), ':');
  const env = pairs(valuesOf('-e', '--env'), '=');
  return draftOfEntry(name, url === undefined ? { command, args, env } : { type, url, headers });
}

function isAddress(text: string | undefined): boolean {
  return text !== undefined && /^https?:\/\//.test(text);
}

function pairs(texts: readonly string[], separator: string): Record<string, string> {
  return Object.fromEntries(
    texts.flatMap((text): [string, string][] => {
      const at = text.indexOf(separator);
      return at < 1 ? [] : [[text.slice(0, at).trim(), text.slice(at + 1).trim()]];
    }),
  );
}
