import * as l10n from '@vscode/l10n';
import { FileDecoration, ThemeColor, ThemeIcon, type TreeItem, Uri, window } from 'vscode';
import type { Disposable } from 'vscode';
import { contextValues, definitionScheme } from '../../ids';

const authority = 'last-known';
const uri = Uri.from({ scheme: definitionScheme, authority, path: '/' });

/** Greys the name of a tool as its server listed it last, and says so. */
export function markLastKnown(item: TreeItem): void {
  const words = l10n.t('last known');
  item.description = [item.description, words].filter(Boolean).join(' · ');
  item.resourceUri = uri;
  if (item.iconPath instanceof ThemeIcon) {
    item.iconPath = new ThemeIcon(item.iconPath.id, new ThemeColor('descriptionForeground'));
  }
  if (item.contextValue === contextValues.tool) item.contextValue = contextValues.lastKnownTool;
  const { label = '' } = item.accessibilityInformation ?? {};
  item.accessibilityInformation = { label: [label, words].filter(Boolean).join(', ') };
}

/** A row has no colour of its own. */
export function registerLastKnownDecorations(): Disposable {
  return window.registerFileDecorationProvider({
    provideFileDecoration: (of) => {
      if (of.scheme !== definitionScheme || of.authority !== authority) return undefined;
      return new FileDecoration(undefined, undefined, new ThemeColor('descriptionForeground'));
    },
  });
}
