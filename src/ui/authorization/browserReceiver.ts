import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { assertNever } from '../../core/errors';
import { LoopbackReceiver } from '../../host/authorization/loopbackReceiver';
import { type NoRedirectAnswer, readPastedRedirect } from '../../host/authorization/redirectAnswer';

/**
 * Listens on the machine that runs the extension. If the browser is on another machine, it connects
 * through a tunnel.
 */
export function openReceiver(port: number | undefined): Promise<LoopbackReceiver> {
  return LoopbackReceiver.open({
    ...(port === undefined ? {} : { port }),
    externalAddress: async (address) => {
      const external = await vscode.env.asExternalUri(vscode.Uri.parse(address, true));
      return external.toString(true);
    },
    texts: {
      language: vscode.env.language,
      received: l10n.t('You can close this page and return to the editor.'),
      refused: l10n.t('This is not the expected response. Nothing was changed.'),
    },
  });
}

/** Parses the pasted URL, or says why it is not an answer. */
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
      return l10n.t('This is too long for a sign-in URL.');
    case 'notAnAddress':
      return l10n.t('This is not a URL. Copy the full URL of the page.');
    case 'otherAddress':
      return l10n.t('This URL belongs to another page than the one that did not load.');
    case 'noState':
      return l10n.t('The code alone is not enough. Copy the full URL of the page.');
    case 'otherState':
      return l10n.t('This URL belongs to a different sign-in.');
    case 'duplicate':
      return l10n.t('This URL repeats a parameter and cannot be trusted.');
    case 'noOutcome':
      return l10n.t(
        'This URL contains no sign-in response. Finish the sign-in in the browser first.',
      );
    default:
      return assertNever(reason);
  }
}
