import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import { isLinkProblem, parseLink } from '../../host/adding/serverLinks';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';
import { addDrafts, type AddFlowOptions } from './addFlow';
import { fullTransport, linkProblemSentence } from './formatDraft';
import { askInDialog } from '../editor/askInDialog';

/**
 * Handles `vscode://toolgate.toolgate/add?name=…&config={…}`. Any web page can contain such a link,
 * so it shows its content and then only fills in the steps of Add Server.
 */
export class AddLinks implements vscode.UriHandler {
  readonly #options: AddFlowOptions;

  constructor(options: AddFlowOptions) {
    this.#options = options;
  }

  async handleUri({ path, query }: vscode.Uri): Promise<void> {
    const link = parseLink(path, query);
    if (isLinkProblem(link)) {
      notify('warning', linkProblemSentence(link));
      return;
    }
    const message =
      link.name === undefined
        ? l10n.t('A link wants to add a server')
        : l10n.t('A link wants to add the server “{0}”', quoted(link.name));
    const detail = [
      fullTransport(link),
      l10n.t(
        'Continue only if you trust the source of the link. You see what will be written first.',
      ),
    ].join('\n\n');
    const goesOn = await askInDialog(message, detail, l10n.t('Continue'));
    if (goesOn) await addDrafts([link], this.#options);
  }
}
