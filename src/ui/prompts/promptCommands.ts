import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { otherTexts, toTextField } from '../../core/arguments/textFields';
import type { Drafts } from '../../core/arguments/fieldDrafts';
import { draftKey, type TextField } from '../../core/arguments/inputField';
import type { PromptArguments } from '../../core/client';
import { toMcpError } from '../../core/errors';
import type { JsonObject } from '../../core/json/jsonValue';
import type { ServerPrompt } from '../../core/parse/promptsAndResources';
import type { SchemaValidator } from '../../core/schema/schema';
import type { CallOrigin } from '../../host/consent/facts/callFacts';
import type { ServerRegistry } from '../../host/connections/registry';
import type { PastCall } from '../../host/history/pastCall';
import type { PromptReads } from '../../host/prompts/promptReads';
import type { PromptLists } from '../../host/resources/serverLists';
import { commands } from '../../ids';
import { ArgumentPage } from '../arguments/argumentPage';
import { completeBy } from '../arguments/completions';
import { CallRunner, type CallRunnerOptions } from '../calls/callRunner';
import { withDelayedProgress } from '../editor/delayedProgress';
import { notify, notifyServerError } from '../editor/messages';
import { confirmIfForeign, isOwnArgument, commandTarget } from '../editor/ownArguments';
import { registerRowCommand } from '../editor/rowCommands';
import { quoted } from '../format/sentences';
import { pickListed, refreshLists } from '../resources/listPicker';
import { resourceTitle, promptArguments } from '../format/formatResource';
import type { ServerActions } from '../servers/serverActions';

export interface PromptCommandsOptions extends Pick<
  CallRunnerOptions,
  'showOutcome' | 'occasions'
> {
  readonly registry: Pick<ServerRegistry, 'servers' | 'find' | 'client'>;
  readonly lists: PromptLists;
  readonly reads: Pick<PromptReads, 'call'>;
  readonly actions: Pick<ServerActions, 'startForUse'>;
  readonly validator: Pick<SchemaValidator, 'validate'>;
}

interface PromptTarget {
  readonly serverId: string;
  readonly promptName: string;
}

/** Opening prompts: from a row, the palette, or a past call. */
export class PromptCommands {
  readonly #options: PromptCommandsOptions;
  readonly #runner: CallRunner;

  constructor(options: PromptCommandsOptions) {
    this.#options = options;
    this.#runner = new CallRunner({ ...options, gate: options.reads });
  }

  register(): vscode.Disposable {
    const { registerCommand } = vscode.commands;
    return vscode.Disposable.from(
      registerCommand(commands.openPrompt, (argument: unknown) => this.#open(argument)),
      registerRowCommand(commands.refreshPrompts, (argument: unknown) =>
        refreshLists(this.#options, commandTarget(argument).serverId, {
          none: l10n.t('No running server has prompts.'),
          title: (server) => l10n.t('Listing the prompts of “{0}”…', server),
        }),
      ),
    );
  }

  /** Gets the prompt of a past call again, with the same arguments. */
  async again(call: PastCall, origin: CallOrigin): Promise<void> {
    const { server: serverId, tool: promptName } = call;
    const prompt = await this.#find({ serverId, promptName });
    if (prompt !== undefined) await this.#get(serverId, promptName, call.arguments, origin);
  }

  /** Asks for the arguments of a past call, which are entered already. */
  async change(call: PastCall, known: JsonObject, origin: CallOrigin): Promise<void> {
    const target = { serverId: call.server, promptName: call.tool };
    const prompt = await this.#find(target);
    const drafts = Object.entries(known).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    );
    if (prompt !== undefined) await this.#enter(target, prompt, origin, new Map(drafts), false);
  }

  async #open(argument: unknown): Promise<void> {
    const { serverId, promptName } = commandTarget(argument);
    if (serverId === undefined || promptName === undefined) return this.#pick();
    const target = { serverId, promptName };
    const question = l10n.t(
      'Read prompt “{0}” from server “{1}”?',
      quoted(promptName),
      this.#labelOf(serverId),
    );
    if (!(await confirmIfForeign(argument, question, l10n.t('Read')))) return;
    const prompt = await this.#find(target);
    const origin = isOwnArgument(argument) ? 'tree' : 'command';
    if (prompt !== undefined) await this.#enter(target, prompt, origin, new Map(), false);
  }

  async #pick(): Promise<void> {
    const { registry, lists } = this.#options;
    for (;;) {
      const picked = await pickListed({
        registry,
        lists,
        title: l10n.t('Open Prompt'),
        placeholder: l10n.t('Choose a prompt'),
        listing: l10n.t('Listing prompts…'),
        noServer: l10n.t('No running server has prompts.'),
        noEntry: l10n.t('No running server has prompts.'),
        toItem: (serverId, prompt) => ({
          label: resourceTitle(prompt),
          description: quoted(prompt.description),
          iconPath: new vscode.ThemeIcon('comment'),
          choice: { target: { serverId, promptName: prompt.name }, prompt },
        }),
      });
      if (picked === undefined) return;
      const { target, prompt } = picked;
      if ((await this.#enter(target, prompt, 'palette', new Map(), true)) !== 'back') return;
    }
  }

  /** Starts the server if needed. Tells the user if there is no such prompt. */
  async #find({ serverId, promptName }: PromptTarget): Promise<ServerPrompt | undefined> {
    const { lists, actions, registry } = this.#options;
    if (!(await actions.startForUse(serverId))) return undefined;
    await withDelayedProgress(l10n.t('Listing prompts…'), () => lists.ensure(serverId), false);
    const { entries, error } = lists.of(serverId);
    const prompt = entries.find(({ name }) => name === promptName);
    const config = registry.find(serverId)?.config;
    if (prompt === undefined && error !== undefined && config !== undefined) {
      notifyServerError(config, toMcpError(error));
    } else if (prompt === undefined) {
      notify(
        'warning',
        l10n.t('Server “{0}” has no prompt “{1}”.', this.#labelOf(serverId), quoted(promptName)),
      );
    }
    return prompt;
  }

  async #enter(
    { serverId, promptName }: PromptTarget,
    prompt: ServerPrompt,
    origin: CallOrigin,
    drafts: Drafts,
    hasBefore: boolean,
  ): Promise<'back' | undefined> {
    const { validator, registry } = this.#options;
    const fields = promptFields(prompt);
    if (fields.length === 0) {
      await this.#get(serverId, promptName, undefined, origin);
      return undefined;
    }
    const label = this.#labelOf(serverId);
    const entered = await new ArgumentPage({
      title: l10n.t('{0} ({1})', resourceTitle(prompt), label),
      schema: {},
      fields,
      drafts,
      validator,
      canBeDocument: false,
      completionOf: ({ name: argument }, given) => {
        const known = otherTexts(fields, given, argument);
        const request = { of: { prompt: promptName }, argument, known };
        return { complete: completeBy(() => registry.client(serverId), request) };
      },
      hasBefore,
    }).ask();
    if (entered.kind === 'back') return 'back';
    if (entered.kind !== 'done') return undefined;
    await this.#get(serverId, promptName, otherTexts(fields, entered.drafts), origin);
    return undefined;
  }

  async #get(
    server: string,
    tool: string,
    given: PromptArguments | JsonObject | undefined,
    origin: CallOrigin,
  ): Promise<void> {
    await this.#runner.run({ server, tool, origin, ...(given && { arguments: given }) });
  }

  #labelOf(serverId: string): string {
    return quoted(this.#options.registry.find(serverId)?.config.label ?? serverId);
  }
}

/** Returns a field for each argument, the required ones first. */
function promptFields(prompt: ServerPrompt): readonly TextField[] {
  const fields = promptArguments(prompt).map(
    ({ name, title = '', description, isRequired }): TextField => {
      const about = description === undefined ? {} : { prompt: description };
      const label = title.trim() === '' ? name : title;
      return { ...toTextField(name, isRequired), label, ...about };
    },
  );
  // A server may list a name twice, but the value can be sent only once.
  return [
    ...new Map(fields.toReversed().map((field) => [draftKey(field), field])).values(),
  ].toReversed();
}
