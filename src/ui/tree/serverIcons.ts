import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ShowableIcon } from '../../core/icons/showableIcon';
import { embeddedIcon } from '../../core/icons/embeddedIcon';
import type { Icon } from '../../core/types';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import { FetchedIcons } from '../../host/icons/fetchedIcons';
import { IconCache } from '../../host/icons/iconCache';
import { settings } from '../../ids';

/** A tooltip waits so long for a picture; one that comes later is there at the next look. */
const patienceMs = 1_000;

/** The icons of servers, tools and resources, as far as the person wants to see them. */
export class ServerIcons {
  readonly #fetched: FetchedIcons;

  constructor({ globalStorageUri }: Pick<vscode.ExtensionContext, 'globalStorageUri'>) {
    const folder = vscode.Uri.joinPath(globalStorageUri, 'icons').fsPath;
    this.#fetched = new FetchedIcons(new IconCache(folder));
  }

  /**
   * One that has to be fetched from this server, because none of them came along with the list;
   * only if the person allows that.
   */
  async fetch(
    icons: readonly Icon[] | undefined,
    { reach }: Pick<ServerConfig, 'reach'>,
  ): Promise<ShowableIcon | undefined> {
    if (icons === undefined || reach.kind === 'stdio' || !isAllowed(settings.fetchIcons)) {
      return undefined;
    }
    const theme = themeOf();
    if (!isAllowed(settings.showIcons) || embeddedIcon(icons, theme) !== undefined) {
      return undefined;
    }
    let timer: NodeJS.Timeout | undefined;
    const passed = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), patienceMs);
    });
    const fetched = this.#fetched.iconOf(icons, theme, reach.url);
    return Promise.race([fetched, passed]).finally(() => clearTimeout(timer));
  }
}

/**
 * An icon as a line of Markdown, for tooltips only: in rows and pickers it could pass for the sign
 * of a risk. What came along with the list goes before what was `fetched`.
 */
export function iconLines(
  icons: readonly Icon[] | undefined,
  fetched?: ShowableIcon,
): readonly string[] {
  if (icons === undefined || !isAllowed(settings.showIcons)) return [];
  const icon = embeddedIcon(icons, themeOf()) ?? fetched;
  if (icon === undefined) return [];
  const words = l10n.t('The icon that the server chose; it says nothing about the risk:');
  // Base64 of our own making: nothing in it ends the picture.
  return [`${words} ![](${icon.src}|width=24,height=24)`];
}

/** Their defaults stand in the manifest: what came along is shown, and nothing is fetched. */
function isAllowed(setting: typeof settings.showIcons | typeof settings.fetchIcons): boolean {
  return vscode.workspace.getConfiguration(settings.section).get(setting) === true;
}

function themeOf(): 'light' | 'dark' {
  const { kind } = vscode.window.activeColorTheme;
  const { Light, HighContrastLight } = vscode.ColorThemeKind;
  return kind === Light || kind === HighContrastLight ? 'light' : 'dark';
}
