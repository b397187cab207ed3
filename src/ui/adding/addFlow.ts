import * as l10n from '@vscode/l10n';
import type { Machine } from '../../host/adding/clientFiles';
import type { ServerDraft } from '../../host/adding/draft';
import { withInputs } from '../../host/adding/draftSecrets';
import { commands } from '../../ids';
import { startServerAction, notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { startCommand } from '../format/startCommand';
import { askSteps } from '../editor/stepInputs';
import {
  AddSteps,
  type AddStepsOptions,
  type NamedDraft,
  type SecretItem,
  namesInFile,
} from './addSteps';
import { draftNoteSentence } from './formatDraft';
import type { Target } from './targets';
import type { AddedServer, Addition } from '../../host/adding/configurationAdditions';
import { isUnusedVariable, moveEntry } from '../../host/adding/movedEntry';
import { formatOf, isCopilotFile } from '../../host/configuration/configurationFormats';
import type { RememberedInputs } from '../../host/secrets/rememberedInputs';
import { inputPlace, remember } from '../secrets/inputQuestions';
import { formatSource } from '../format/sentencesOfProblems';
import { configurationTextOf, writeAddition } from './writeAddition';
import type { WritePreviews } from './writePreviews';

export interface AddFlowOptions extends WriteServersOptions, AddStepsOptions {
  readonly env: Machine['env'];
}

/** State of the flow before its first step. */
interface AddDraftsOptions {
  /** True if the user has already chosen the drafts from a longer list. */
  readonly areChosen?: boolean;
  /** True if Back at the first step leads to an earlier step. */
  readonly hasBefore?: boolean;
}

/**
 * Leads from drafts to servers in a file: which drafts, which file, which names, what happens to
 * secrets, and a preview before writing. Closing a step cancels without a change. Returns `back` if
 * the user goes back beyond the first step.
 */
export async function addDrafts(
  drafts: readonly ServerDraft[],
  options: AddFlowOptions,
  { areChosen = false, hasBefore = false }: AddDraftsOptions = {},
): Promise<'back' | 'ended'> {
  const steps = new AddSteps(drafts, options);
  const end = await askSteps(
    [
      async (hasBack) => (areChosen ? 'skipped' : steps.chooseDrafts(hasBack)),
      (hasBack) => steps.chooseTarget(hasBack),
      (hasBack) => steps.nameDrafts(hasBack),
      (hasBack) => steps.chooseSecrets(hasBack),
    ],
    { hasBefore },
  );
  if (end === 'back') return 'back';
  const { target, named, secrets } = steps;
  if (end === 'cancel' || target === undefined || named.length === 0) return 'ended';
  const moved = await moveSecrets(named, secrets, target);
  const shared =
    formatOf(target.source) === 'vscode'
      ? undefined
      : await toShared(moved.filled, target, options.env);
  const { filled, values, variables } = shared ?? { ...moved, variables: [] };
  const addition = { servers: filled, inputs: filled.flatMap(({ inputs }) => inputs) };
  const notes = filled.flatMap((draft) =>
    draft.notes.map((note) => `${quoted(draft.name)}: ${draftNoteSentence(note)}`),
  );
  if (variables.length > 0) notes.push(variablesToSet(variables));
  const isDone = await writeServers({ target, addition, values, notes }, options);
  if (isDone)
    notifyAdded(
      filled.map(({ name }) => name),
      variables,
    );
  return 'ended';
}

/** Returns the drafts with inputs in place of these secrets, and the values of the inputs. */
async function moveSecrets(
  drafts: readonly NamedDraft[],
  secrets: readonly SecretItem[],
  target: Target,
): Promise<{ filled: readonly NamedDraft[]; values: ReadonlyMap<string, string> }> {
  const ids = new Set((await namesInFile(target)).inputs);
  const values = new Map<string, string>();
  const filled = drafts.map((draft): NamedDraft => {
    const chosen = secrets.filter((item) => item.draft === draft).map(({ secret }) => secret);
    const made = withInputs(draft, chosen, ids);
    for (const { id } of made.draft.inputs) ids.add(id);
    for (const [id, value] of made.values) values.set(id, value);
    return { ...made.draft, name: draft.name };
  });
  return { filled, values };
}

/** Returns the drafts for a file that has no inputs: environment variables replace these. */
async function toShared(
  drafts: readonly NamedDraft[],
  { uri, source }: Target,
  env: Machine['env'],
) {
  const variables: string[] = [];
  // A variable that is not set yet may be the one of another server.
  const texts = [
    (await configurationTextOf(uri)) ?? '',
    ...drafts.map(({ entry }) => JSON.stringify(entry)),
  ];
  const isFree = (name: string): boolean =>
    isUnusedVariable(name, env, texts) && !variables.includes(name);
  const to = { format: 'mcpServers', isCopilot: isCopilotFile(source) } as const;
  const filled = drafts.map((draft): NamedDraft & AddedServer => {
    const text = JSON.stringify(draft.entry, undefined, 2);
    // The user has chosen which values are secrets; inputs replace them already.
    const options = { server: draft.name, from: 'vscode', to, isFree, secrets: [] } as const;
    const moved = moveEntry(text, options);
    variables.push(...moved.variables);
    return { ...draft, text: moved.text, inputs: [] };
  });
  return { filled, values: new Map<string, string>(), variables };
}

/** Says which environment variables an entry needs. */
export function variablesToSet(names: readonly string[]): string {
  return l10n.t(
    'Set these environment variables, then restart VS Code: {0}',
    names.map(quoted).join(', '),
  );
}

/** @param variables Those that must be set before the servers can start. */
function notifyAdded(names: readonly string[], variables: readonly string[]): void {
  const [only, ...others] = names;
  if (only === undefined) return;
  if (variables.length > 0) {
    const added =
      others.length === 0
        ? l10n.t('Server “{0}” was added.', quoted(only))
        : l10n.t('Servers added: {0}.', names.length);
    notify('warning', l10n.t('{0} {1}', added, variablesToSet(variables)));
    return;
  }
  if (others.length > 0) {
    const startAll = l10n.t('Start All Servers');
    notify(
      'information',
      l10n.t('Servers added: {0}.', names.length),
      startCommand(undefined, startAll, commands.startAllServers),
    );
    return;
  }
  notify('information', l10n.t('Server “{0}” was added.', quoted(only)), startServerAction(only));
}

interface WriteServersOptions {
  readonly previews: Pick<WritePreviews, 'ask'>;
  readonly remembered: RememberedInputs;
  /** Reloads the configuration. */
  readonly reload: () => Promise<void>;
}

interface Writing {
  readonly target: Target;
  readonly addition: Addition;
  /** Values of the inputs, by id. */
  readonly values: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

/**
 * Writes servers after a preview of the file. Secrets go to secret storage, never into the file.
 * Returns whether the file was written and saved.
 */
async function writeServers(
  { target: { uri, source }, addition, values, notes }: Writing,
  { previews, remembered, reload }: WriteServersOptions,
): Promise<boolean> {
  const file = { uri, name: formatSource(source), format: formatOf(source) };
  const outcome = await writeAddition({ file, addition, notes }, previews);
  if (outcome === undefined) return false;
  for (const [id, value] of values) {
    await remember(remembered, inputPlace({ id, source }), true, value);
  }
  await reload();
  return outcome === 'saved';
}
