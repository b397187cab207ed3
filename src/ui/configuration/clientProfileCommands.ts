import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { revisions } from '../../core/types';
import {
  claimableCapabilities,
  type ClientProfile,
  type ClientProfiles,
  maxClientNameChars,
} from '../../host/configuration/clientProfiles';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import { commands } from '../../ids';
import { confirmIfForeign } from '../editor/ownArguments';
import { askItem, askLine, type StepAnswered } from '../editor/stepInputs';
import { quoted } from '../format/sentences';
import type { ServerActions } from '../servers/serverActions';
import { namedServer } from '../servers/serverPicker';
import { remembered } from './disableCommands';

interface ClientProfileOptions {
  readonly registry: Pick<ServerRegistry, 'servers' | 'find' | 'reassessMarks'>;
  readonly actions: Pick<ServerActions, 'start' | 'stop'>;
  readonly profiles: ClientProfiles;
  /** True if servers that ask for their roots are told the workspace folders. */
  readonly sharesRoots: () => boolean;
}

/** Registers the choice as which client a server is connected, from its row or by a picker. */
export function registerClientProfiles(options: ClientProfileOptions): vscode.Disposable {
  return vscode.Disposable.from(
    options.profiles.onDidChange(() => options.registry.reassessMarks()),
    vscode.commands.registerCommand(commands.connectAs, (row: unknown) => connectAs(options, row)),
  );
}

async function connectAs(options: ClientProfileOptions, row: unknown): Promise<void> {
  const { registry, actions, profiles } = options;
  const server = await namedServer(row, {
    registry,
    title: l10n.t('Connect as Another Client'),
    fits: ({ isDisabled }) => isDisabled !== true,
  });
  if (server === undefined) return;
  const { config } = server;
  const question = l10n.t('Connect to “{0}” as another client?', quoted(config.label));
  if (!(await confirmIfForeign(row, question, l10n.t('Choose…')))) return;
  const chosen = await new ProfilePicker(server, options).ask();
  if (chosen === undefined) return;
  // The row never names another client than the connection has.
  await actions.stop(config.id);
  await remembered(() => profiles.set(config, chosen.profile, chosen.isKept));
  await actions.start(config.id);
}

type Capability = (typeof claimableCapabilities)[number];
type Row = 'name' | 'revision' | Capability | 'kept' | 'connect' | 'reset';

interface RowItem extends vscode.QuickPickItem {
  readonly row?: Row;
}

/** Shows the choices so far in one list, again after each change. */
class ProfilePicker {
  readonly #title: string;
  readonly #sharesRoots: () => boolean;
  readonly #hasProfile: boolean;
  #profile: ClientProfile;
  #isKept: boolean;

  constructor({ config, client }: Server, { profiles, sharesRoots }: ClientProfileOptions) {
    this.#title = l10n.t('Connect to “{0}” as Another Client', quoted(config.label));
    this.#sharesRoots = sharesRoots;
    this.#hasProfile = client !== undefined;
    this.#profile = client ?? {};
    this.#isKept = profiles.isKept(config);
  }

  /** Returns `undefined` if the user closes it. */
  async ask(): Promise<{ readonly profile: ClientProfile; readonly isKept: boolean } | undefined> {
    const question = {
      title: this.#title,
      placeholder: l10n.t('Choose what to change, then “Connect”'),
      hasBack: false,
    };
    for (let row: Row = 'name'; ;) {
      const items = this.#items();
      const active = items.find((item) => item.row === row);
      const { end, value } = await askItem(items, { ...question, active });
      if (end !== 'next' || value?.row === undefined) return undefined;
      ({ row } = value);
      if (row === 'connect') return { profile: this.#profile, isKept: this.#isKept };
      if (row === 'reset') return { profile: {}, isKept: false };
      if (!(await this.#change(row))) return undefined;
    }
  }

  /** Returns false if the user closes the question. */
  async #change(row: Exclude<Row, 'connect' | 'reset'>): Promise<boolean> {
    if (row === 'name') return this.#askName();
    if (row === 'revision') return this.#askRevision();
    if (row === 'kept') this.#isKept = !this.#isKept;
    else this.#toggle(row);
    return true;
  }

  async #askName(): Promise<boolean> {
    const { end, value = '' } = await askLine({
      title: this.#title,
      hasBack: true,
      prompt: l10n.t('Client name that the server is told. Empty: Toolgate’s own.'),
      value: this.#profile.name ?? '',
      problemOf: (text) =>
        text.length > maxClientNameChars
          ? l10n.t('At most {0} characters.', maxClientNameChars)
          : undefined,
    });
    if (end === 'next') this.#set('name', value.trim() === '' ? undefined : value.trim());
    return end !== 'cancel';
  }

  async #askRevision(): Promise<boolean> {
    const detected = { label: l10n.t('Detected'), revision: undefined };
    const items = [detected, ...revisions.map((revision) => ({ label: revision, revision }))];
    const { end, value }: StepAnswered<(typeof items)[number]> = await askItem(items, {
      title: this.#title,
      hasBack: true,
      placeholder: l10n.t('Revision that the server is offered'),
      active: items.find(({ revision }) => revision === this.#profile.revision),
    });
    if (end === 'next') this.#set('revision', value?.revision);
    return end !== 'cancel';
  }

  /** Stores only what differs from what Toolgate does, so that a setting still counts. */
  #toggle(capability: Capability): void {
    const { [capability]: before, ...rest } = this.#profile.claimed ?? {};
    const isClaimed = !(before ?? this.#isUsual(capability));
    const claimed =
      isClaimed === this.#isUsual(capability) ? rest : { ...rest, [capability]: isClaimed };
    this.#set('claimed', Object.keys(claimed).length === 0 ? undefined : claimed);
  }

  #set<Key extends keyof ClientProfile>(key: Key, value: ClientProfile[Key] | undefined): void {
    const { [key]: _, ...rest } = this.#profile;
    this.#profile = value === undefined ? rest : { ...rest, [key]: value };
  }

  /** True if Toolgate claims it without a choice of the user. */
  #isUsual(capability: Capability): boolean {
    return capability !== 'roots' || this.#sharesRoots();
  }

  #items(): RowItem[] {
    const { name, revision } = this.#profile;
    const reset: RowItem[] = this.#hasProfile
      ? [{ label: l10n.t('Connect as Toolgate'), iconPath: icon('discard'), row: 'reset' }]
      : [];
    return [
      {
        label: l10n.t('Client name'),
        description: quoted(name ?? 'toolgate'),
        iconPath: icon('person'),
        row: 'name',
      },
      {
        label: l10n.t('Offered revision'),
        description: revision ?? l10n.t('detected'),
        iconPath: icon('versions'),
        row: 'revision',
      },
      ...claimableCapabilities.map((each) => this.#capabilityItem(each)),
      {
        label: l10n.t('Duration'),
        description: this.#isKept
          ? l10n.t('kept in this workspace')
          : l10n.t('until this window closes'),
        iconPath: icon('history'),
        row: 'kept',
      },
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      { label: l10n.t('Connect'), iconPath: icon('debug-restart'), row: 'connect' },
      ...reset,
    ];
  }

  #capabilityItem(capability: Capability): RowItem {
    const isClaimed = this.#profile.claimed?.[capability] ?? this.#isUsual(capability);
    const isOff = isClaimed && !this.#isUsual(capability);
    const claimed = isOff ? l10n.t('claimed, but not answered') : l10n.t('claimed');
    return {
      label: capability,
      description: isClaimed ? claimed : l10n.t('not claimed'),
      iconPath: icon(isClaimed ? 'pass' : 'circle-large-outline'),
      row: capability,
    };
  }
}

function icon(name: string): vscode.ThemeIcon {
  return new vscode.ThemeIcon(name);
}
