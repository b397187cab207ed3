import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { embeddedIcon } from '../../core/icons/embeddedIcon';
import type { Icon } from '../../core/types';
import { settings } from '../../ids';

/**
 * The icon that came with the list, as a line of Markdown. For tooltips only: in rows and pickers it could
 * pass for the sign of a risk.
 */
export function iconLines(icons: readonly Icon[] | undefined): readonly string[] {
  const isShown = vscode.workspace.getConfiguration(settings.section).get(settings.showIcons);
  if (icons === undefined || isShown !== true) return [];
  const icon = embeddedIcon(icons, themeOf());
  if (icon === undefined) return [];
  const words = l10n.t('Icon provided by the server, unrelated to the risk:');
  // Base64 of our own making: nothing in it ends the picture.
  return [`${words} ![](${icon}|width=24,height=24)`];
}

function themeOf(): 'light' | 'dark' {
  const { kind } = vscode.window.activeColorTheme;
  const { Light, HighContrastLight } = vscode.ColorThemeKind;
  return kind === Light || kind === HighContrastLight ? 'light' : 'dark';
}
