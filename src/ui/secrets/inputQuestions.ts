import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { assertNever, McpError } from '../../core/errors';
import { escapeIcons } from '../../core/visibleText';
import type { InputValues } from '../../host/configuration/inputs';
import type { ConfigSource, InputDefinition } from '../../host/configuration/serverConfig';
import type { InputPlace, RememberedInputs } from '../../host/secrets/rememberedInputs';
import { notify } from '../editor/messages';
import {
  type StepAnswered,
  askItem,
  askLine,
  askValues,
  type StepPosition,
} from '../editor/stepInputs';
import { quoted } from '../format/sentences';
import { formatSource } from '../format/sentencesOfProblems';

/** A question that is open or waiting. */
interface Pending {
  readonly answer: Promise<string | undefined>;
  /** Token of the start that asks. */
  readonly token: vscode.CancellationToken;
}

/** Asks the user for the values of inputs: each once, and one question at a time. */
export class InputQuestions implements InputValues {
  readonly #remembered: RememberedInputs;
  /** Pending questions by input, so that callers that need the same value share the question. */
  readonly #pending = new Map<string, Pending>();
  #lastTurn: Promise<unknown> = Promise.resolve();

  readonly #onDidAnswer = new vscode.EventEmitter<void>();
  /** Fires when a question is closed. The next one, if any, comes later. */
  readonly onDidAnswer = this.#onDidAnswer.event;

  constructor(remembered: RememberedInputs) {
    this.#remembered = remembered;
  }

  /** @throws {McpError} missingVariable if a command input did not return a string */
  async valueOf(
    input: InputDefinition,
    token: vscode.CancellationToken,
  ): Promise<string | undefined> {
    // A command may return another value each time.
    if (input.kind === 'command') return runCommand(input.id, input.command, input.args);
    const known = await this.#known(input);
    if (known !== undefined || token.isCancellationRequested) return known;
    const key = keyOf(input);
    const joined = this.#pending.get(key);
    if (joined !== undefined) {
      const answer = (await joined.answer) ?? (await this.#known(input));
      // Closing the question answers all callers; cancelling a start affects only its own.
      const isOver = answer !== undefined || !joined.token.isCancellationRequested;
      return isOver ? answer : this.valueOf(input, token);
    }
    const asked = this.#lastTurn.then(() => this.#ask(input, token));
    this.#lastTurn = asked.catch(() => undefined);
    this.#pending.set(key, { answer: asked, token });
    return asked.finally(() => this.#pending.delete(key));
  }

  /**
   * Resolves with true if no question would be shown. The value of a command input is never known.
   */
  async areKnown(inputs: readonly InputDefinition[] = []): Promise<boolean> {
    if (inputs.some(({ kind }) => kind === 'command')) return false;
    const known = await Promise.all(inputs.map((input) => this.#known(input)));
    return known.every((value) => value !== undefined);
  }

  /** Asks several questions with Back. A single one is asked only when its value is needed. */
  async prepare(
    inputs: readonly InputDefinition[],
    token: vscode.CancellationToken,
  ): Promise<boolean> {
    const typed = inputs.filter(({ kind }) => kind !== 'command');
    const known = await Promise.all(typed.map((input) => this.#known(input)));
    const unknown = typed.filter(
      (input, index) => known[index] === undefined && !this.#pending.has(keyOf(input)),
    );
    if (unknown.length < 2 || token.isCancellationRequested) return true;
    const asked = this.#lastTurn.then(() => this.#askAll(unknown, token));
    this.#lastTurn = asked.catch(() => undefined);
    for (const input of unknown) {
      const answer = asked.then((values) => values?.get(input));
      // Other callers may not join, and the first one gets the error itself.
      answer.catch(() => undefined);
      this.#pending.set(keyOf(input), { answer, token });
    }
    try {
      return (await asked) !== undefined;
    } finally {
      for (const input of unknown) this.#pending.delete(keyOf(input));
    }
  }

  /** Values are stored only when all of them are answered. */
  async #askAll(
    inputs: readonly InputDefinition[],
    token: vscode.CancellationToken,
  ): Promise<ReadonlyMap<InputDefinition, string> | undefined> {
    if (token.isCancellationRequested) return undefined;
    const values = await askValues(inputs, (input, place) => askInRow(input, { ...place, token }));
    this.#onDidAnswer.fire();
    if (values === undefined || token.isCancellationRequested) return undefined;
    for (const [input, value] of values) {
      await remember(this.#remembered, inputPlace(input), isSecret(input), value);
    }
    return values;
  }

  async #known(input: InputDefinition): Promise<string | undefined> {
    const value = await this.#remembered.get(inputPlace(input), isSecret(input));
    if (isSecret(input) && value !== undefined && isEmpty(value)) return undefined;
    if (input.kind !== 'pickString') return value;
    // The options may have changed.
    return input.options.some((option) => option.value === value) ? value : undefined;
  }

  async #ask(input: InputDefinition, token: vscode.CancellationToken): Promise<string | undefined> {
    if (token.isCancellationRequested) return undefined;
    const value = await askInput(input, token);
    this.#onDidAnswer.fire();
    if (value === undefined || token.isCancellationRequested) return undefined;
    await remember(this.#remembered, inputPlace(input), isSecret(input), value);
    return value;
  }
}

/** Stores the value, and shows a message if that fails. */
export async function remember(
  remembered: RememberedInputs,
  place: InputPlace,
  isSecretValue: boolean,
  value: string,
): Promise<void> {
  if (await remembered.set(place, isSecretValue, value)) return;
  const sentence = l10n.t(
    'The value of input “{0}” could not be stored. It lasts until you close this window.',
    quoted(place.id),
  );
  notify('warning', sentence);
}

export function inputPlace({ id, source }: { id: string; source: ConfigSource }): InputPlace {
  return { kind: source.kind, path: 'path' in source ? source.path : '', id };
}

export function isSecret(input: InputDefinition): boolean {
  return input.kind === 'promptString' && input.isPassword;
}

function keyOf(input: InputDefinition): string {
  return JSON.stringify(inputPlace(input));
}

/** Asks one of several questions. */
async function askInRow(
  input: InputDefinition,
  { value, ...place }: StepPosition & { readonly token: vscode.CancellationToken | undefined },
): Promise<StepAnswered<string>> {
  const common = { ...place, title: titleOf(input) };
  const description = quoted(input.description);
  if (input.kind === 'pickString') {
    const items = optionItems(input);
    const active = items.find((item) => item.value === (value ?? input.default));
    const question = { ...common, placeholder: description, active };
    const answer = await askItem(items, question);
    return { end: answer.end, value: answer.value?.value };
  }
  const isPassword = isSecret(input);
  const byDefault = input.kind === 'promptString' ? input.default : undefined;
  return askLine({
    ...common,
    prompt: isPassword ? passwordPrompt(description) : description,
    isPassword,
    value: value ?? byDefault ?? '',
    problemOf: refuseEmpty(isPassword),
  });
}

function titleOf({ id, source }: InputDefinition): string {
  return l10n.t('Input “{0}” of {1}', quoted(id), formatSource(source));
}

function optionItems(
  input: Extract<InputDefinition, { kind: 'pickString' }>,
): (vscode.QuickPickItem & { readonly value: string })[] {
  return input.options.map(({ label, value }) => ({
    label: escapeIcons(quoted(label)),
    description: label === value ? '' : escapeIcons(quoted(value)),
    value,
  }));
}

/** Shows the question. Resolves with `undefined` if it is closed. */
export async function askInput(
  input: InputDefinition,
  token?: vscode.CancellationToken,
): Promise<string | undefined> {
  const title = titleOf(input);
  const description = quoted(input.description);
  switch (input.kind) {
    case 'promptString':
      return vscode.window.showInputBox(
        {
          title,
          prompt: input.isPassword ? passwordPrompt(description) : description,
          password: input.isPassword,
          validateInput: refuseEmpty(input.isPassword),
          ignoreFocusOut: true,
          ...(input.default === undefined ? {} : { value: input.default }),
        },
        token,
      );
    case 'pickString': {
      const place = { hasBack: false, value: undefined, token };
      const { end, value } = await askInRow(input, place);
      return end === 'next' ? value : undefined;
    }
    case 'command':
      return undefined;
    default:
      return assertNever(input);
  }
}

/**
 * An empty secret is rejected: the server would start with it and fail without a visible reason.
 */
export function refuseEmpty(isSecretValue: boolean): (value: string) => string | undefined {
  return (value) => (isSecretValue && isEmpty(value) ? l10n.t('Enter a value.') : undefined);
}

function isEmpty(value: string): boolean {
  return value.trim() === '';
}

function passwordPrompt(description: string): string {
  const kept = l10n.t('Kept in secret storage.');
  if (description === '') return kept;
  return /[.?!]$/.test(description) ? `${description} ${kept}` : `${description}. ${kept}`;
}

async function runCommand(id: string, command: string, args: unknown): Promise<string | undefined> {
  const rest = args === undefined ? [] : [args];
  let answer: unknown;
  try {
    answer = await vscode.commands.executeCommand(command, ...rest);
  } catch (error) {
    throw new McpError('missingVariable', { detail: `\${input:${id}}`, cause: error });
  }
  if (answer === undefined || answer === null) return undefined;
  if (typeof answer === 'string') return answer;
  throw new McpError('missingVariable', { detail: `\${input:${id}}` });
}
