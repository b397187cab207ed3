import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { settleAll } from '../../../host/storage/recordFile';
import { commands } from '../../../ids';
import { askInDialog } from '../../editor/askInDialog';
import { notify } from '../../editor/messages';
import { quoted } from '../../format/sentences';
import {
  readPermissions,
  type PermissionGroup,
  type PermissionSource,
  type PermissionItem,
} from './permissions';
import { dialogText } from '../../format/dialogLines';
import { escapeIcons } from '../../../core/visibleText';
import { answerOf, createPicker } from '../../editor/picker';

interface PermissionCommandsOptions {
  /** Listed in this order. */
  readonly sources: readonly PermissionSource[];
  /** Asks in a modal dialog. Any result but true means no. */
  readonly confirm?: typeof askInDialog;
}

/** Manage Permissions… and Forget All Permissions. */
export class PermissionCommands {
  readonly #sources: readonly PermissionSource[];
  readonly #confirm: typeof askInDialog;

  constructor({ sources, confirm = askInDialog }: PermissionCommandsOptions) {
    this.#sources = sources;
    this.#confirm = confirm;
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand(commands.managePermissions, () => this.manage()),
      vscode.commands.registerCommand(commands.forgetPermissions, () => this.forgetAll()),
    );
  }

  /** Lists every permission, and withdraws those that the user unchecks. Never rejects. */
  async manage(): Promise<void> {
    await orTell(async () => {
      const groups = await readPermissions(this.#sources);
      if (groups.length === 0) {
        notifyNone();
        return;
      }
      const choice = await pickPermissions(groups);
      if (choice.kind === 'forgetAll') await this.#forgetAll();
      if (choice.kind === 'withdraw') await withdraw(choice.unchecked);
    });
  }

  /** Asks once, then withdraws every permission. Never rejects. */
  async forgetAll(): Promise<void> {
    await orTell(() => this.#forgetAll());
  }

  async #forgetAll(): Promise<void> {
    const groups = await readPermissions(this.#sources);
    const hasNone = groups.length === 0;
    const question = l10n.t('Forget all permissions?');
    const detail = forgettingDetail(groups);
    if (!hasNone && !(await this.#confirm(question, detail, l10n.t('Forget All')))) return;
    // Withdraws even if no permission is listed, because unreadable ones are not listed.
    await settleAll(this.#sources.map((source) => source.withdrawAll()));
    if (hasNone) notifyNone();
    else notify('information', l10n.t('All permissions were forgotten. You will be asked again.'));
  }
}

async function withdraw(changes: readonly PermissionChange[]): Promise<void> {
  const count = changes.reduce((sum, { ids }) => sum + ids.length, 0);
  if (count === 0) return;
  await settleAll(changes.map(({ source, ids }) => source.withdraw(ids)));
  notify(
    'information',
    count === 1
      ? l10n.t('1 permission was withdrawn. You will be asked again.')
      : l10n.t('{0} permissions were withdrawn. You will be asked again.', count),
  );
}

function forgettingDetail(groups: readonly PermissionGroup[]): string {
  return [
    ...groups.map(({ source, items }) => l10n.t('{0}: {1}', source.heading, items.length)),
    '',
    l10n.t('Rules, permissions of other workspaces and running servers are not affected.'),
  ].join('\n');
}

function notifyNone(): void {
  notify(
    'information',
    l10n.t(
      'You have not given any permissions. Select “Allow…” in the question before a call to give one.',
    ),
    { title: l10n.t('Call Tool…'), command: commands.callTool },
  );
}

async function orTell(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    notify(
      'error',
      l10n.t(
        'Not all permissions could be withdrawn. Manage Permissions lists the rest ({0}).',
        quoted(detail),
      ),
      { title: l10n.t('Manage Permissions…'), command: commands.managePermissions },
    );
  }
}

/** The user's choice in the list. */
type PermissionChoice =
  | { readonly kind: 'withdraw'; readonly unchecked: readonly PermissionChange[] }
  | { readonly kind: 'forgetAll' }
  | { readonly kind: 'closed' };

/** Permissions to withdraw from one source. */
interface PermissionChange {
  readonly source: PermissionSource;
  readonly ids: readonly string[];
}

interface PermissionRow extends vscode.QuickPickItem {
  /** Absent for a separator. */
  readonly permission?: PermissionItem;
  readonly source?: PermissionSource;
}

/**
 * Shows every permission, all checked. Permissions are withdrawn only when the list is accepted;
 * closing it withdraws none.
 */
export async function pickPermissions(
  groups: readonly PermissionGroup[],
): Promise<PermissionChoice> {
  const rows = groups.flatMap(toRows);
  const forget: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('trash'),
    tooltip: l10n.t('Forget All Permissions'),
  };
  const pick = createPicker<PermissionRow>({
    title: l10n.t('Permissions'),
    placeholder: l10n.t('Uncheck permissions to withdraw them'),
    canSelectMany: true,
    matchOnDescription: true,
    matchOnDetail: true,
    // The content that a button shows takes the focus, and the list must stay open.
    ignoreFocusOut: true,
    buttons: [forget],
    items: rows,
    selectedItems: rows.filter(({ permission }) => permission !== undefined),
  });
  const choice = await answerOf<PermissionRow, PermissionChoice>(pick, {
    accept: () => ({ kind: 'withdraw', unchecked: uncheckedOf(groups, pick.selectedItems) }),
    button: () => ({ kind: 'forgetAll' }),
    itemButton: showAbout,
  });
  return choice ?? { kind: 'closed' };
}

function toRows({ source, items }: PermissionGroup): PermissionRow[] {
  const heading: PermissionRow = {
    label: source.heading,
    kind: vscode.QuickPickItemKind.Separator,
  };
  return [heading, ...items.map((permission) => toRow(permission, source))];
}

function toRow(permission: PermissionItem, source: PermissionSource): PermissionRow {
  return {
    permission,
    source,
    label: escapeIcons(permission.label),
    description: escapeIcons(permission.description),
    detail: escapeIcons(permission.detail),
    buttons: [{ iconPath: new vscode.ThemeIcon('info'), tooltip: l10n.t('About This Permission') }],
  };
}

function uncheckedOf(
  groups: readonly PermissionGroup[],
  checked: readonly PermissionRow[],
): PermissionChange[] {
  const kept = new Set(checked.map(({ permission }) => permission));
  return groups
    .map(({ source, items }) => ({
      source,
      ids: items.filter((item) => !kept.has(item)).map(({ id }) => id),
    }))
    .filter(({ ids }) => ids.length > 0);
}

function showAbout({ permission }: PermissionRow): undefined {
  if (permission !== undefined) {
    const detail = dialogText(permission.about.join('\n'));
    void vscode.window.showInformationMessage(permission.label, { modal: true, detail });
  }
  return undefined;
}
