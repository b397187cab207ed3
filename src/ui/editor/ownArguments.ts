import * as l10n from '@vscode/l10n';
import { randomUUID } from 'node:crypto';
import type { ConfigProblem } from '../../host/configuration/serverConfig';
import { askInDialog } from './askInDialog';

/**
 * Commands do not know their caller: links, tasks, keys and other extensions can run them with any
 * arguments. This module tells the arguments of our own rows, code lenses and buttons from others.
 */
const handedOut = new WeakSet<object>();

/**
 * Marks an argument of our own row, code lens, quick fix or button. VS Code passes the same object
 * to the command.
 */
export function markOwnArgument<T extends object>(argument: T): T {
  handedOut.add(argument);
  return argument;
}

/** True if it is a marked object, not merely an equal one. */
export function isOwnArgument(argument: unknown): boolean {
  return typeof argument === 'object' && argument !== null && handedOut.has(argument);
}

/**
 * True if only the user can have chosen it: by pressing something that we drew, or by a picker that
 * follows.
 */
export function isUserChoice(argument: unknown): boolean {
  return argument === undefined || argument === null || isOwnArgument(argument);
}

/** Is stored in no file and differs between windows. */
const windowSecret = randomUUID();

/**
 * Returns the id of a tree row. It is unguessable, because a link can pass a row to a command by
 * its id.
 */
export function rowId(key: string): string {
  return `${windowSecret} ${key}`;
}

/**
 * Asks for confirmation if a command was run with an argument that does not come from a click.
 * Otherwise returns true without asking. Closing the dialog means no.
 */
export async function confirmIfForeign(
  argument: unknown,
  question: string,
  yes: string,
): Promise<boolean> {
  if (isUserChoice(argument)) return true;
  const detail = l10n.t('A link, key, task or other extension asked for this.');
  return askInDialog(question, detail, yes);
}

/** A confirmation of the document in front. */
export interface NamedConfirmation {
  /** True if the command got the name of the question, which cannot be guessed. */
  readonly isNamed: boolean;
  /** Describes in a short question what will happen. */
  readonly question: string;
  /** Label of the button. */
  readonly yes: string;
}

/**
 * Returns true if the user confirms. Code lenses, editor titles and links of our notifications name
 * what they answer. A keyboard shortcut, the command palette and a task that runs the command name
 * nothing. Then a modal dialog asks again, because no command can press its button. Closing it
 * means no.
 */
export async function confirmUnlessNamed({
  isNamed,
  question,
  yes,
}: NamedConfirmation): Promise<boolean> {
  if (isNamed) return true;
  const detail = l10n.t('Keyboard commands can also be run by other extensions, so this one asks.');
  return askInDialog(question, detail, yes);
}

/** The target of a command. It is not known to exist. */
interface CommandTarget {
  readonly serverId?: string;
  readonly toolName?: string;
  /** URI of a resource. */
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly promptName?: string;
}

/** Second argument of a command that shows something without taking the focus. */
export const keepsFocus = 'keepsFocus';

/**
 * Parses the argument of a command: a tree row, the id of a server, or nothing if the command
 * palette or a view's title runs it.
 */
export function commandTarget(argument: unknown): CommandTarget {
  if (typeof argument === 'string') return { serverId: argument };
  const text = (key: string): string | undefined => {
    const value = property(argument, key);
    return typeof value === 'string' ? value : undefined;
  };
  const serverId = text('serverId');
  const toolName = text('toolName');
  const uri = text('uri');
  const uriTemplate = text('uriTemplate');
  const promptName = text('promptName');
  return {
    ...(serverId === undefined ? {} : { serverId }),
    ...(toolName === undefined ? {} : { toolName }),
    ...(uri === undefined ? {} : { uri }),
    ...(uriTemplate === undefined ? {} : { uriTemplate }),
    ...(promptName === undefined ? {} : { promptName }),
  };
}

/**
 * Returns the problem of a row. It must be one of the objects in `problems`, which proves where it
 * comes from.
 */
export function targetProblem(
  argument: unknown,
  problems: readonly ConfigProblem[],
): ConfigProblem | undefined {
  const target = property(property(argument, 'problem'), 'problem');
  return problems.find((problem) => problem === target);
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** Returns the target of a link that runs a command with this argument. */
export function commandLink(command: string, argument: unknown): string {
  return `command:${command}?${encodeURIComponent(JSON.stringify([argument]))}`;
}
