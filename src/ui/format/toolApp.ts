import * as l10n from '@vscode/l10n';
import type { ToolApp } from '../../core/types';

/** The tool's page, which Toolgate does not render, and whether only that page may call it. */
export function appLines(app: ToolApp | undefined): readonly string[] {
  return [
    ...(app?.resourceUri === undefined ? [] : [l10n.t('Has an app: {0}', app.resourceUri)]),
    ...(app?.isForAppOnly === true
      ? [l10n.t('Meant for its app only. Agents do not get it.')]
      : []),
  ];
}
