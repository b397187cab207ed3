import * as vscode from 'vscode';
import { withoutIcons } from '../../core/visibleText';
import { takenIn } from '../../host/adding/configurationAdditions';
import type { ServerDraft } from '../../host/adding/draft';
import {
  type FoundSecret,
  freeName,
  secretsOf,
  withFreeInputs,
  withInputs,
} from '../../host/adding/draftSecrets';
import type { ServerRegistry } from '../../host/connections/registry';
import { commands } from '../../ids';
import { startServerAction, tell } from '../editor/messages';
import { quoted } from '../format/sentences';
import { severalItems } from '../picking/severalItems';
import { draftNoteSentence, reachLine, formatSecretPlace } from './formatDraft';
import { pickTarget, type Target } from './targets';
import { configurationTextOf, writeServers, type WriteServersOptions } from './writeServers';
import { startCommand } from '../format/startCommand';

export interface AddFlowOptions extends WriteServersOptions {
  readonly registry: Pick<ServerRegistry, 'find' | 'servers'>;
  /** The user's own `mcp.json`, where there is one to write. */
  readonly userFile: string | undefined;
}

const maxNameChars = 200;

/**
 * From drafts to servers in a file: which of them, where, under what name, what becomes of secrets,
 * and a look at the whole before it is written. Closing any step ends it with nothing changed.
 */
export async function addDrafts(
  drafts: readonly ServerDraft[],
  options: AddFlowOptions,
  { areChosen = false } = {},
): Promise<void> {
  const chosen = areChosen ? drafts : await chooseDrafts(drafts);
  if (chosen === undefined || chosen.length === 0) return;
  const target = await pickTarget(options.userFile);
  if (target === undefined) return;
  const named = await nameDrafts(chosen, target, options);
  if (named === undefined) return;
  const filled = await moveSecrets(named, target);
  if (filled === undefined) return;
  const names = filled.drafts.map(({ name }) => name);
  const isDone = await writeServers(
    {
      target,
      addition: {
        servers: filled.drafts,
        inputs: filled.drafts.flatMap(({ inputs }) => inputs),
      },
      values: filled.values,
      notes: filled.drafts.flatMap(({ name, notes }) =>
        notes.map((note) => `${quoted(name)}: ${draftNoteSentence(note)}`),
      ),
    },
    options,
  );
  if (isDone) tellAdded(names);
}

type NamedDraft = ServerDraft & { readonly name: string };

interface DraftItem extends vscode.QuickPickItem {
  readonly draft: ServerDraft;
}

/** Several ways to run one server: one of them. Several servers: any of them. */
async function chooseDrafts(
  drafts: readonly ServerDraft[],
): Promise<readonly ServerDraft[] | undefined> {
  if (drafts.length <= 1) return drafts;
  const items = drafts.map((draft): DraftItem => ({
    label: withoutIcons(quoted(draft.name ?? vscode.l10n.t('without a name'))),
    detail: withoutIcons(reachLine(draft)),
    picked: true,
    draft,
  }));
  const isOneServer = new Set(drafts.map(({ name }) => name)).size === 1;
  const options = { title: vscode.l10n.t('Add Server'), matchOnDetail: true, ignoreFocusOut: true };
  if (isOneServer) {
    const placeHolder = vscode.l10n.t('It can be run in several ways; choose one');
    const picked = await vscode.window.showQuickPick(items, { ...options, placeHolder });
    return picked && [picked.draft];
  }
  const placeHolder = vscode.l10n.t('Choose the servers to add');
  const picked = await vscode.window.showQuickPick(items, {
    ...options,
    placeHolder,
    canPickMany: true,
  });
  return picked?.map(({ draft }) => draft);
}

/** A single one is named by the person, several keep the names they have as far as these are free. */
async function nameDrafts(
  drafts: readonly ServerDraft[],
  target: Target,
  { registry }: AddFlowOptions,
): Promise<readonly NamedDraft[] | undefined> {
  const inFile = (await takenInFile(target)).servers;
  const used = new Set([...inFile, ...registry.servers.map(({ config }) => config.id)]);
  const [only, ...others] = drafts;
  if (only !== undefined && others.length === 0) {
    const name = await askName(freeName(only.name?.slice(0, maxNameChars) ?? '', used), used);
    return name === undefined ? undefined : [{ ...only, name }];
  }
  return drafts.map((draft) => {
    const name = freeName(draft.name?.slice(0, maxNameChars) ?? 'server', used);
    used.add(name);
    return { ...draft, name };
  });
}

async function askName(suggested: string, used: ReadonlySet<string>): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Name of the Server'),
    prompt: vscode.l10n.t('A short name, by which you find its tools'),
    value: suggested,
    ignoreFocusOut: true,
    validateInput: (value) => {
      if (value.trim() === '') return vscode.l10n.t('Enter a name.');
      if (value.length > maxNameChars) {
        return vscode.l10n.t('Enter at most {0} characters.', maxNameChars);
      }
      return used.has(value.trim())
        ? vscode.l10n.t('There is a server of this name already.')
        : undefined;
    },
  });
  return name?.trim();
}

interface SecretItem extends vscode.QuickPickItem {
  readonly draft: NamedDraft;
  readonly secret: FoundSecret;
}

/** Offers to keep what looks like a secret out of the file. */
async function moveSecrets(
  drafts: readonly NamedDraft[],
  target: Target,
): Promise<{ drafts: readonly NamedDraft[]; values: ReadonlyMap<string, string> } | undefined> {
  const items = drafts.flatMap((draft) =>
    secretsOf(draft).map((secret): SecretItem => ({
      label: withoutIcons(quoted(draft.name)),
      iconPath: new vscode.ThemeIcon('key'),
      description: withoutIcons(formatSecretPlace(secret)),
      detail: secret.isPlaceholder
        ? vscode.l10n.t('Only a placeholder: you are asked when the server starts')
        : vscode.l10n.t('Kept in secret storage; in the file stands only its name'),
      picked: true,
      draft,
      secret,
    })),
  );
  const picked =
    items.length === 0
      ? []
      : await severalItems(items, {
          title: vscode.l10n.t('Secrets'),
          placeholder: vscode.l10n.t('Unchecked values are written to the file as plain text'),
        });
  if (picked === undefined) return undefined;
  const ids = new Set((await takenInFile(target)).inputs);
  const values = new Map<string, string>();
  const filled = drafts.map((draft): NamedDraft => {
    const chosen = picked.filter((item) => item.draft === draft).map(({ secret }) => secret);
    const made = withInputs(withFreeInputs(draft, ids), chosen, ids);
    for (const { id } of made.draft.inputs) ids.add(id);
    for (const [id, value] of made.values) values.set(id, value);
    return { ...made.draft, name: draft.name };
  });
  return { drafts: filled, values };
}

async function takenInFile({ uri }: Target): Promise<ReturnType<typeof takenIn>> {
  return takenIn((await configurationTextOf(uri)) ?? '');
}

function tellAdded(names: readonly string[]): void {
  const [only, ...others] = names;
  if (only === undefined) return;
  if (others.length > 0) {
    const startAll = vscode.l10n.t('Start All Servers');
    tell(
      'information',
      vscode.l10n.t('{0} servers were added.', names.length),
      startCommand(undefined, startAll, commands.startAllServers),
    );
    return;
  }
  tell(
    'information',
    vscode.l10n.t('Server “{0}” was added.', quoted(only)),
    startServerAction(only),
  );
}
