import * as vscode from 'vscode';
import type { ConnectionLog } from '../core/log';
import type { RulePlace } from '../host/consent/facts/callFacts';
import { ServerTrust, type TrustAct } from '../host/consent/trust/serverTrust';
import { ServerTrustQuestions } from '../ui/serverTrust/serverTrustQuestions';
import { ServerTrustReviews } from '../ui/serverTrust/serverTrustReviews';

/** Below the extension's global storage. */
const folderName = 'serverTrust';

/** What is kept about servers that may start, and the questions about those that may not yet. */
export class ServerTrustParts implements vscode.Disposable {
  readonly trust: ServerTrust;
  readonly questions: ServerTrustQuestions;
  readonly #reviews = new ServerTrustReviews();

  /** Problems of storage go to `log`: the consequence is a question, which says enough. */
  constructor(
    globalStorage: vscode.Uri,
    log: Pick<ConnectionLog, 'warn'>,
    onAct: (act: TrustAct) => void,
    allowsFor: (serverId: string) => readonly RulePlace[],
  ) {
    this.trust = new ServerTrust({
      folder: vscode.Uri.joinPath(globalStorage, folderName).fsPath,
      onAct,
      onProblem: ({ file, code, setAsideAs, detail }) => {
        const aside = setAsideAs === undefined ? '' : `, kept as ${setAsideAs}`;
        log.warn(`server trust: ${file}: ${code}${aside} (${detail})`);
      },
    });
    this.questions = new ServerTrustQuestions(this.trust, this.#reviews, allowsFor);
  }

  /** The commands. */
  register(): vscode.Disposable {
    return this.#reviews.register();
  }

  dispose(): void {
    this.#reviews.dispose();
    this.trust.dispose();
  }
}
