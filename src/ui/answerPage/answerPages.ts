import * as l10n from '@vscode/l10n';
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { FilePart, LinkPart } from '../../core/content/contentParts';
import { answerEditor, scheme, commands } from '../../ids';
import {
  type ToPage,
  answerVerbs,
  maxPageBytes,
  type AnswerVerb,
  type FromPage,
  type PartVerb,
} from '../../page/pageMessages';
import { markOwnArgument } from '../editor/ownArguments';
import { hasChat } from '../prompts/promptChat';
import type { StoredResult } from '../results/resultDocuments';
import type { Results } from '../results/results';
import type { AnswerContent, DrawnPart } from './answerContent';
import { pageHtml } from './pageHtml';
import { parsePageMessage } from './parsePageMessage';

interface AnswerPagesOptions {
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
interface PageSource {
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

/** The results API that a page uses. It is always about parts of a kept result. */
interface PageResults {
  bring(overview: vscode.Uri): Promise<StoredResult | undefined>;
  partUri(kept: StoredResult, part: FilePart): vscode.Uri;
  openPart(kept: StoredResult, part: FilePart, viewColumn?: vscode.ViewColumn): Promise<void>;
  openAsText(overview: vscode.Uri): Promise<void>;
  readLink(kept: StoredResult, part: LinkPart): Promise<void>;
  openLinkOutside(part: LinkPart): Promise<void>;
  followLink(kept: StoredResult, part: FilePart, link: string): Promise<void>;
}

/** Maximum number of bytes of a file in one message. */
const pieceBytes = 1024 * 1024;

/** State of the answer that a page shows. */
interface Shown {
  readonly kept: StoredResult;
  readonly content: AnswerContent;
  readonly edition: number;
  /** Drawn parts by part number. */
  readonly drawn: Map<number, DrawnPart>;
  sentBytes: number;
}

/**
 * Answers the messages of one page. A message can trigger only what the user could select there.
 */
class AnswerPanel {
  readonly #results: PageResults;
  readonly #uri: vscode.Uri;
  readonly #send: (message: ToPage) => void;
  #shown: Shown | undefined;
  #edition = 0;
  /** The file that is being sent to the page, until its last piece is sent. */
  #reading: { readonly number: number; readonly bytes: Uint8Array } | undefined;

  constructor(results: PageResults, uri: vscode.Uri, send: (message: ToPage) => void) {
    this.#results = results;
    this.#uri = uri;
    this.#send = send;
  }

  /** Shows the stored answer. */
  async show(): Promise<void> {
    const kept = await this.#results.bring(this.#uri);
    if (kept === undefined) {
      const sentence = l10n.t('This result is no longer available. Run the tool again.');
      return this.#send({ type: 'gone', sentence });
    }
    const { origin } = kept.facts;
    const isForChat = origin.kind === 'call' && origin.isPrompt === true && (await hasChat());
    const { AnswerContent: Content, pageHead } = await import('./answerContent');
    const content = new Content(kept);
    this.#edition += 1;
    const edition = this.#edition;
    const head = pageHead(kept, content.count, isForChat);
    this.#reading = undefined;
    this.#shown = { kept, content, edition, drawn: new Map(), sentBytes: 0 };
    this.#send({ type: 'answer', edition, head });
  }

  /** Shows the answer again if it was replaced. */
  async refresh(): Promise<void> {
    const kept = await this.#results.bring(this.#uri);
    if (this.#edition > 0 && kept !== undefined && kept !== this.#shown?.kept) await this.show();
  }

  /** @param message any value, because code in a webview can send anything */
  async take(message: unknown): Promise<void> {
    const asked = parsePageMessage(message);
    if (asked === undefined) return;
    if (asked.type === 'ready') return this.show();
    const shown = this.#shown;
    if (shown === undefined) return;
    if (asked.type === 'headVerb') {
      const verb = answerVerbs.find((each) => each === asked.verb);
      return verb && this.#doWithAnswer(shown.kept, verb);
    }
    // Messages about an earlier edition are ignored, because the answer was replaced.
    if (asked.edition === shown.edition) await this.#answer(shown, asked);
  }

  async #answer(shown: Shown, asked: Exclude<FromPage, { type: 'ready' | 'headVerb' }>) {
    switch (asked.type) {
      case 'blocks':
        return this.#sendBlocks(shown, asked.from);
      case 'bytes':
        return this.#sendBytes(shown, asked.number, asked.offset);
      case 'partVerb':
        return this.#doWithPart(shown.kept, asked.number, asked.verb);
      case 'link': {
        const part = fileOf(shown.kept, asked.number);
        const link = shown.drawn.get(asked.number)?.links[asked.link];
        if (part !== undefined && link !== undefined)
          await this.#results.followLink(shown.kept, part, link);
      }
    }
  }

  async #sendBlocks(shown: Shown, from: number): Promise<void> {
    const { content, edition } = shown;
    const room = Math.max(0, maxPageBytes - shown.sentBytes);
    const { drawn, chars } = await content.drawMessage(from, room);
    if (this.#shown !== shown) return;
    for (const each of drawn) shown.drawn.set(each.block.number, each);
    shown.sentBytes += chars;
    const blocks = drawn.map(({ block }) => block);
    this.#send({ type: 'blocks', edition, from, blocks });
  }

  /**
   * Sends bytes only of a part that was drawn as an image, audio, video or grid, up to the limit
   * for one page.
   */
  async #sendBytes(shown: Shown, number: number, offset: number): Promise<void> {
    const { edition, drawn } = shown;
    const part = fileOf(shown.kept, number);
    const body = drawn.get(number)?.block.body;
    const isRead = body !== undefined && 'size' in body;
    if (part === undefined || !isRead || shown.sentBytes >= maxPageBytes) {
      return this.#send({ type: 'bytes', edition, number, offset });
    }
    const all = await this.#bytesOf(part);
    const bytes = all?.subarray(offset, offset + pieceBytes);
    if (bytes === undefined || offset + bytes.length >= (all?.length ?? 0)) {
      this.#reading = undefined;
    }
    if (bytes === undefined) return this.#send({ type: 'bytes', edition, number, offset });
    shown.sentBytes += bytes.length;
    this.#send({ type: 'bytes', edition, number, offset, bytes: Uint8Array.from(bytes) });
  }

  async #bytesOf(part: FilePart): Promise<Uint8Array | undefined> {
    if (this.#reading?.number === part.number) return this.#reading.bytes;
    try {
      const bytes = await part.read();
      this.#reading = { number: part.number, bytes };
      return bytes;
    } catch {
      // The file is gone, and the page says that it cannot be shown.
      return undefined;
    }
  }

  async #doWithPart(kept: StoredResult, number: number, verb: PartVerb): Promise<void> {
    const part = kept.parts.find((each) => each.number === number);
    if (part?.kind === 'link') {
      if (verb === 'read') await this.#results.readLink(kept, part);
      else if (verb === 'openOutside') await this.#results.openLinkOutside(part);
    } else if (part !== undefined) {
      if (verb === 'save') await run(commands.saveResult, this.#results.partUri(kept, part));
      else if (verb === 'filter')
        await run(commands.filterResult, this.#results.partUri(kept, part));
      else if (verb === 'open') await this.#results.openPart(kept, part);
    }
  }

  /**
   * Runs the commands of lenses and rows, with an argument that is marked as the extension's own.
   */
  async #doWithAnswer(kept: StoredResult, verb: AnswerVerb): Promise<void> {
    const { callId, parts, overviewUri } = kept;
    const [file, ...others] = parts.flatMap((part) => (part.kind === 'link' ? [] : [part]));
    if (verb === 'text') return this.#results.openAsText(overviewUri);
    if (verb === 'save') {
      const isOne = file !== undefined && others.length === 0;
      return isOne
        ? run(commands.saveResult, this.#results.partUri(kept, file))
        : run(commands.saveAllOfResult, overviewUri);
    }
    if (callId === undefined) {
      return verb === 'compare' ? run(commands.compareResultFiles, overviewUri) : undefined;
    }
    await run(commandsOfCall[verb], markOwnArgument({ callId }));
  }
}

const commandsOfCall = {
  runAgain: commands.runAgain,
  edit: commands.runAgainWithChanges,
  compare: commands.compareResults,
  expect: commands.expectAnswer,
  chat: commands.openPromptInChat,
} as const;

async function run(command: string, argument: unknown): Promise<void> {
  await vscode.commands.executeCommand(command, argument);
}

function fileOf(kept: StoredResult, number: number): FilePart | undefined {
  const part = kept.parts.find((each) => each.number === number);
  return part?.kind === 'link' ? undefined : part;
}
