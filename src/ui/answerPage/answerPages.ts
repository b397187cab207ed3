import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { answerEditor } from '../../ids';
import type { Results } from '../results/results';
import { AnswerPanel, type PageResults } from './answerPanel';
import { pageHtml } from './pageHtml';

export interface AnswerPagesOptions {
  readonly results: PageResults & Pick<Results, 'onDidChange'>;
  readonly extensionUri: vscode.Uri;
}

/**
 * The page that shows an answer with several kinds of parts, as a read-only editor of its overview.
 * It runs only the extension's script, has no access to network or files, and receives its content
 * by messages.
 */
export class AnswerPages {
  readonly #options: AnswerPagesOptions;

  constructor(options: AnswerPagesOptions) {
    this.#options = options;
  }

  register(): vscode.Disposable {
    const provider: vscode.CustomReadonlyEditorProvider = {
      openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
      resolveCustomEditor: ({ uri }, panel) => this.#resolve(uri, panel),
    };
    const webviewOptions = { enableFindWidget: true };
    const options = { webviewOptions, supportsMultipleEditorsPerDocument: true };
    return vscode.window.registerCustomEditorProvider(answerEditor, provider, options);
  }

  async #resolve(uri: vscode.Uri, { webview, onDidDispose }: vscode.WebviewPanel): Promise<void> {
    const { results, extensionUri } = this.#options;
    const panel = new AnswerPanel(results, uri, (message) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not of a window
      void webview.postMessage(message);
    });
    webview.options = { enableScripts: true, localResourceRoots: [] };
    const subscriptions = vscode.Disposable.from(
      webview.onDidReceiveMessage((message: unknown) => void panel.take(message)),
      results.onDidChange((uris) => {
        if (uris.some((each) => each.toString() === uri.toString())) void panel.refresh();
      }),
    );
    onDidDispose(() => subscriptions.dispose());
    webview.html = await pageHtml(extensionUri, randomBytes(16).toString('base64'));
  }
}
