import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../core/visibleText';
import type { ServerRegistry } from '../../host/connections/registry';
import { isActive, type Server } from '../../host/connections/snapshot';
import type { RememberedInput, RememberedInputs } from '../../host/secrets/rememberedInputs';
import { commands } from '../../ids';
import { askInDialog } from '../editor/askInDialog';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { formatList } from '../format/windowFacts';
import { chosenItem, createPicker, type ChoiceItem } from '../editor/picker';
import { askLine } from '../editor/stepInputs';
import { inputPlace, refuseEmpty, remember, askInput, isSecret } from './inputQuestions';
import type { InputDefinition, ServerConfig } from '../../host/configuration/serverConfig';
import { markOwnArgument, commandTarget } from '../editor/ownArguments';

interface ManageSecretsOptions {
  readonly registry: Pick<ServerRegistry, 'servers'>;
  readonly remembered: RememberedInputs;
}

type InputRow = ChoiceItem<Choice>;

type Choice =
  | { readonly kind: 'change' | 'forget'; readonly input: RememberedInput }
  | { readonly kind: 'forgetAll' | 'closed' };

/** Lists the values that were typed for inputs, without showing them, until the list is closed. */
export async function manageSecrets(options: ManageSecretsOptions): Promise<void> {
  for (;;) {
    const inputs = await options.remembered.all();
    if (inputs.length === 0) {
      notify(
        'information',
        l10n.t('No values are kept. Values that servers and call files asked for are listed here.'),
      );
      return;
    }
    const choice = await choose(inputs.map((input) => toRow(input, usersOf(input, options))));
    switch (choice.kind) {
      case 'change':
        await change(choice.input, options);
        break;
      case 'forget':
        await options.remembered.forget(choice.input);
        break;
      case 'forgetAll':
        if (await forgetAll(inputs, options.remembered)) return;
        break;
      case 'closed':
        return;
    }
  }
}

async function choose(items: readonly InputRow[]): Promise<Choice> {
  const pick = createPicker<InputRow>({
    title: l10n.t('Secrets and Other Inputs'),
    placeholder: l10n.t('Select a value to change it'),
    matchOnDescription: true,
    matchOnDetail: true,
    ignoreFocusOut: true,
    buttons: [{ iconPath: new vscode.ThemeIcon('clear-all'), tooltip: l10n.t('Forget All') }],
    items,
  });
  return (await chosenItem(pick, { button: () => ({ kind: 'forgetAll' }) })) ?? { kind: 'closed' };
}

function toRow(input: RememberedInput, users: readonly Server[]): InputRow {
  const names = formatList(users.map(({ config }) => quoted(config.label)));
  return {
    choice: { kind: 'change', input },
    other: { kind: 'forget', input },
    label: escapeIcons(quoted(input.id)),
    iconPath: new vscode.ThemeIcon(input.isSecret ? 'key' : 'symbol-string'),
    description: escapeIcons(formatPlace(input)),
    detail: escapeIcons(formatUsage(input, names)),
    buttons: [{ iconPath: new vscode.ThemeIcon('trash'), tooltip: l10n.t('Forget') }],
  };
}

function formatPlace({ kind, path }: RememberedInput): string {
  if (path === '') return l10n.t('User settings');
  const file = kind === 'callFile' ? vscode.Uri.parse(path).fsPath : path;
  return quoted(vscode.workspace.asRelativePath(file));
}

function formatUsage({ isSecret: isKeptSecret, kind }: RememberedInput, names: string): string {
  const kept = isKeptSecret ? l10n.t('In secret storage') : l10n.t('Not secret, kept in memory');
  if (kind === 'callFile') return l10n.t('{0}; requested by a call file', kept);
  return names === ''
    ? l10n.t('{0}; not used by any server in this window', kept)
    : l10n.t('{0}; used by {1}', kept, names);
}

function usersOf(input: RememberedInput, { registry }: ManageSecretsOptions): Server[] {
  return registry.servers.filter(({ config }) =>
    (config.inputs ?? []).some((used) => {
      const place = inputPlace(used);
      return place.kind === input.kind && place.path === input.path && place.id === input.id;
    }),
  );
}

async function change(input: RememberedInput, options: ManageSecretsOptions): Promise<void> {
  // Going back or closing returns to the list.
  const { end, value = '' } = await askLine({
    title: l10n.t('New Value of “{0}”', quoted(input.id)),
    prompt: l10n.t('Running servers use the old value until they are restarted.'),
    isPassword: input.isSecret,
    problemOf: refuseEmpty(input.isSecret),
    hasBack: true,
  });
  if (end !== 'next') return;
  await remember(options.remembered, input, input.isSecret, value);
  for (const { config, state } of usersOf(input, options)) {
    if (state.kind !== 'running') continue;
    notify(
      'information',
      l10n.t(
        'Server “{0}” uses the old value of “{1}” until you restart it.',
        quoted(config.label),
        quoted(input.id),
      ),
      {
        title: l10n.t('Restart Server'),
        command: commands.restartServer,
        arguments: [config.id],
      },
    );
  }
}

/** Asks the user for confirmation. */
async function forgetAll(
  inputs: readonly RememberedInput[],
  remembered: RememberedInputs,
): Promise<boolean> {
  const agrees = await askInDialog(
    inputs.length === 1
      ? l10n.t('Forget the value of “{0}”?', quoted(inputs[0]?.id))
      : l10n.t('Forget all {0} values?', inputs.length),
    l10n.t('Servers and call files ask again when they need the values.'),
    l10n.t('Forget All'),
  );
  if (!agrees) return false;
  for (const input of inputs) await remembered.forget(input);
  return true;
}

interface AskAgainOptions {
  readonly registry: Pick<ServerRegistry, 'find'>;
  readonly remembered: RememberedInputs;
}

/**
 * Asks again for the typed values that a server did not accept, and starts it with the new ones.
 * Closing a question cancels and keeps the stored values.
 */
export async function askInputsAgain(
  { registry, remembered }: AskAgainOptions,
  argument: unknown,
): Promise<void> {
  const { serverId } = commandTarget(argument);
  const server = serverId === undefined ? undefined : registry.find(serverId);
  if (server === undefined) return;
  for (const input of credentialsOf(server.config)) {
    const value = await askInput(input);
    if (value === undefined) return;
    await remember(remembered, inputPlace(input), isSecret(input), value);
  }
  // It may have started or ended while the user was asked.
  const wasStarted = isActive(registry.find(server.config.id));
  const command = wasStarted ? commands.restartServer : commands.startServer;
  await vscode.commands.executeCommand(command, markOwnArgument({ serverId }));
}

/** Returns the secret inputs, or all inputs if none is secret. */
function credentialsOf({ inputs = [] }: ServerConfig): readonly InputDefinition[] {
  const secrets = inputs.filter(isSecret);
  return secrets.length > 0 ? secrets : inputs.filter(({ kind }) => kind !== 'command');
}
