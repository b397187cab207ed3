import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { escapeIcons } from '../../../core/visibleText';
import type { PermissionGroup, PermissionItem, PermissionSource } from './permissions';
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
  const checkable = rows.filter(({ permission }) => permission !== undefined);
  const forget: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('trash'),
    tooltip: l10n.t('Forget All Permissions'),
  };
  const pick = vscode.window.createQuickPick<PermissionRow>();
  pick.title = l10n.t('Permissions');
  pick.placeholder = l10n.t('Uncheck permissions to withdraw them');
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  // The content that a button shows takes the focus, and the list must stay open.
  pick.ignoreFocusOut = true;
  pick.buttons = [forget];
  pick.items = rows;
  pick.selectedItems = checkable;
  try {
    return await new Promise<PermissionChoice>((resolve) => {
      pick.onDidTriggerItemButton(({ item }) => showAbout(item));
      pick.onDidTriggerButton(() => resolve({ kind: 'forgetAll' }));
      pick.onDidAccept(() =>
        resolve({ kind: 'withdraw', unchecked: uncheckedOf(groups, pick.selectedItems) }),
      );
      pick.onDidHide(() => resolve({ kind: 'closed' }));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
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

function showAbout({ permission }: PermissionRow): void {
  if (permission === undefined) return;
  const { label, about } = permission;
  void vscode.window.showInformationMessage(label, {
    modal: true,
    detail: dialogText(about.join('\n')),
  });
}
