import * as l10n from '@vscode/l10n';
import type { Tool, ToolApp } from '../../core/types';
import { visibleText } from '../../core/visibleText';

const maxTitleChars = 200;

/**
 * Returns the title of a tool, else the title among its annotations, else its name, as
 * short plain text. Returns `''` only if the definition has none of them.
 */
export function toolTitle(tool: Tool): string {
  const title = [tool.title, tool.annotations.title, tool.name].find(
    (text) => text !== undefined && text.trim() !== '',
  );
  return title === undefined ? '' : visibleText(title, maxTitleChars);
}

/** Returns the name as plain text, for places that show it beside the title. */
export function toolNameText(tool: Tool): string {
  return visibleText(tool.name, maxTitleChars);
}

/** The tool's page, which Toolgate does not render, and whether only that page may call it. */
export function appLines(app: ToolApp | undefined): readonly string[] {
  return [
    ...(app?.resourceUri === undefined ? [] : [l10n.t('Has an app: {0}', app.resourceUri)]),
    ...(app?.isForAppOnly === true
      ? [l10n.t('Meant for its app only. Agents do not get it.')]
      : []),
  ];
}
