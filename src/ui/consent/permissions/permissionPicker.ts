import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../../core/visibleText';
import type { PermissionGroup, PermissionItem, PermissionSource } from './permissions';
import { answerOf, createPicker } from '../../editor/picker';
import { dialogText } from '../../format/dialogLines';

/** The user's choice in the list. */
export type PermissionChoice =
  | { readonly kind: 'withdraw'; readonly unchecked: readonly PermissionChange[] }
  | { readonly kind: 'forgetAll' }
  | { readonly kind: 'closed' };

/** Permissions to withdraw from one source. */
export interface PermissionChange {
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
