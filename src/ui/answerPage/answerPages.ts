import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { answerEditor, scheme } from '../../ids';
import type { ToPage } from '../../page/pageMessages';
import type { Results } from '../results/results';
import { AnswerPanel, type PageResults } from './answerPanel';
import { pageHtml } from './pageHtml';

export interface AnswerPagesOptions {
  readonly results: PageResults & Pick<Results, 'onDidChange'>;
  readonly extensionUri: vscode.Uri;
}

/** Answers the messages of one page. They can trigger only what the user could select there. */
export interface PagePanel {
  /** @param message any value, because code in a webview can send anything */
  take(message: unknown): Promise<void>;
  /** Shows the content again if it has changed. */
  refresh(): Promise<void>;
}

/** The content of the pages of one scheme. */
export interface PageSource {
  panelFor(uri: vscode.Uri, send: (message: ToPage) => void): PagePanel;
  /** Calls `refresh` when the content may have changed. */
  follow(uri: vscode.Uri, refresh: () => void): vscode.Disposable;
}

/**
 * The page that shows an answer with several kinds of parts, or a tool's definition, as a read-only
 * editor. It runs only the extension's script, has no access to network or files, and receives its
 * content by messages.
 */
export class AnswerPages {
  readonly #extensionUri: vscode.Uri;
  readonly #sources = new Map<string, PageSource>();

  constructor({ results, extensionUri }: AnswerPagesOptions) {
    this.#extensionUri = extensionUri;
    this.serve(scheme, {
      panelFor: (uri, send) => new AnswerPanel(results, uri, send),
      follow: (uri, refresh) =>
        results.onDidChange((uris) => {
          if (uris.some((each) => each.toString() === uri.toString())) refresh();
        }),
    });
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

  /** Has the documents of another scheme shown by pages. */
  serve(ofScheme: string, source: PageSource): vscode.Disposable {
    this.#sources.set(ofScheme, source);
    return new vscode.Disposable(() => this.#sources.delete(ofScheme));
  }

  async #resolve(uri: vscode.Uri, { webview, onDidDispose }: vscode.WebviewPanel): Promise<void> {
    const source = this.#sources.get(uri.scheme);
    if (source === undefined) return;
    const panel = source.panelFor(uri, (message) => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not of a window
      void webview.postMessage(message);
    });
    webview.options = { enableScripts: true, localResourceRoots: [] };
    const subscriptions = vscode.Disposable.from(
      webview.onDidReceiveMessage((message: unknown) => void panel.take(message)),
      source.follow(uri, () => void panel.refresh()),
    );
    onDidDispose(() => subscriptions.dispose());
    webview.html = await pageHtml(this.#extensionUri, randomBytes(16).toString('base64'));
  }
}
