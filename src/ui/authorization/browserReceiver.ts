import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import { LoopbackReceiver } from '../../host/authorization/loopbackReceiver';
import { type NoRedirectAnswer, readPastedRedirect } from '../../host/authorization/redirectAnswer';

/** Listens where the editor runs; the browser gets there through a tunnel where that is elsewhere. */
export function openReceiver(port: number | undefined): Promise<LoopbackReceiver> {
  return LoopbackReceiver.open({
    ...(port === undefined ? {} : { port }),
    externalAddress: async (address) => {
      const external = await vscode.env.asExternalUri(vscode.Uri.parse(address, true));
      return external.toString(true);
    },
    texts: {
      language: vscode.env.language,
      received: l10n.t('You can close this page and go back to the editor.'),
      refused: l10n.t('This is not what the editor waits for. Nothing was changed.'),
    },
  });
}

/** Reads what a person took from the address bar; a sentence says why it is no answer. */
export function readPasted(
  text: string,
  awaited: { readonly address: string; readonly state: string },
): URL | { readonly problem: string } {
  const read = readPastedRedirect(text, awaited);
  return read.kind === 'answer' ? read.address : { problem: formatPasteProblem(read.reason) };
}

function formatPasteProblem(reason: NoRedirectAnswer): string {
  switch (reason) {
    case 'tooLong':
      return l10n.t('That is longer than any such address.');
    case 'notAnAddress':
      return l10n.t('That is no address. Copy the whole address of the page.');
    case 'otherAddress':
      return l10n.t('That is the address of another page than the one that could not be loaded.');
    case 'noState':
      return l10n.t('A code alone is not enough. Copy the whole address of the page.');
    case 'otherState':
      return l10n.t('That is the address of another sign-in. Take the one of this one.');
    case 'duplicate':
      return l10n.t('That address says something twice, and cannot be trusted.');
    case 'noOutcome':
      return l10n.t('That address holds no answer. Finish the sign-in in the browser first.');
    default:
      return assertNever(reason);
  }
}
