import * as l10n from '@vscode/l10n';
import type { AuthorizationProblem } from '../../host/authorization/secretAuthorizationStore';
import { notify } from '../editor/messages';
import { quoted } from '../format/sentences';

/** Says why sign-ins cannot be stored on this machine. */
export function notifyAuthorizationProblem({ code, detail }: AuthorizationProblem): void {
  notify('warning', problemSentence(code, quoted(detail)));
}

function problemSentence(code: AuthorizationProblem['code'], detail: string): string {
  return code === 'notStored'
    ? l10n.t(
        'Sign-ins could not be stored and last until you close this window. Details: “{0}”',
        detail,
      )
    : l10n.t(
        'Windows cannot coordinate the renewal of sign-ins, so you may be asked to sign in again. Details: “{0}”',
        detail,
      );
}
