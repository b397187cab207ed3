import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { toMcpError } from '../../core/errors';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { RulePlace } from '../../host/consent/facts/callFacts';
import type { ServerTrust } from '../../host/consent/trust/serverTrust';
import { commands, trustScheme } from '../../ids';
import { EditorQuestions } from '../editor/editorQuestions';
import { toFileName } from '../editor/fileName';
import { notify } from '../editor/messages';
import { commandLink } from '../editor/ownArguments';
import { lensAtLine } from '../editor/textPlaces';
import { dialogText } from '../format/dialogLines';
import {
  trustDialog,
  type TrustDialog,
  type TrustQuestion,
  startQuestion,
  startTitle,
  trustDiffTitle,
  trustDocument,
} from './formatTrustQuestion';

export type TrustAnswer = 'start' | 'review' | undefined;

/** Shows the modal dialog. Resolves with `undefined` if it is cancelled or closed. */
type ShowTrustDialog = (dialog: TrustDialog) => Promise<TrustAnswer>;

/** A question that waits to be shown. */
interface Turn {
  readonly configs: readonly ServerConfig[];
  /** True if the user has refused one of these servers meanwhile. */
  isRefused: boolean;
}

/**
 * Asks before servers are started with a new configuration. Shows one dialog at a time, and one for
 * all servers that are started together. Only the button with the verb agrees.
 */
export class ServerTrustQuestions {
  readonly #trust: Pick<ServerTrust, 'stateOf' | 'trust' | 'refuse'>;
  readonly #reviews: Pick<ServerTrustReviews, 'review'>;
  readonly #allowsFor: (serverId: string) => readonly RulePlace[];
  readonly #show: ShowTrustDialog;
  #lastTurn: Promise<unknown> = Promise.resolve();
  readonly #waiting = new Set<Turn>();

  constructor(
    trust: Pick<ServerTrust, 'stateOf' | 'trust' | 'refuse'>,
    reviews: Pick<ServerTrustReviews, 'review'>,
    allowsFor: (serverId: string) => readonly RulePlace[],
    show: ShowTrustDialog = showTrustDialog,
  ) {
    this.#trust = trust;
    this.#reviews = reviews;
    this.#allowsFor = allowsFor;
    this.#show = show;
  }

  /**
   * Resolves with true if all of them may start, without a question if that is known. Waits for
   * earlier questions and shares a refusal given there. An agreement is stored.
   */
  async ask(configs: readonly ServerConfig[], token?: vscode.CancellationToken): Promise<boolean> {
    if ((await this.#open(configs)).length === 0) return true;
    const turn: Turn = { configs, isRefused: false };
    this.#waiting.add(turn);
    const answered = this.#lastTurn.then(() => {
      this.#waiting.delete(turn);
      return turn.isRefused ? false : this.#ask(configs, token);
    });
    // The caller gets the error of its own question; later questions are not affected.
    this.#lastTurn = answered.catch(() => undefined);
    return answered;
  }

  /** Returns the servers whose current configuration the user has not agreed to. */
  async #open(configs: readonly ServerConfig[]): Promise<readonly TrustQuestion[]> {
    const questions = configs.map(async (config): Promise<readonly TrustQuestion[]> => {
      const state = await this.#trust.stateOf(config);
      if (state.kind === 'trusted') return [];
      const question = { config, allowedBy: this.#allowsFor(config.id) };
      return [state.kind === 'first' ? question : { ...question, before: state.before }];
    });
    return (await Promise.all(questions)).flat();
  }

  async #ask(
    configs: readonly ServerConfig[],
    token: vscode.CancellationToken | undefined,
  ): Promise<boolean> {
    const isOff = (): boolean => token?.isCancellationRequested === true;
    if (isOff()) return false;
    const questions = await this.#open(configs);
    if (questions.length === 0) return true;
    let answer = await this.#show(trustDialog(questions));
    if (isOff()) return false;
    if (answer === 'review') {
      answer = (await this.#reviews.review(questions, token)) ? 'start' : undefined;
    }
    // The start was cancelled meanwhile, so the answer no longer matters.
    if (isOff()) return false;
    if (answer === 'start') {
      for (const { config } of questions) await this.#keep(config);
      return true;
    }
    const refused = questions.map(({ config }) => config);
    for (const config of refused) this.#trust.refuse(config);
    for (const turn of this.#waiting) {
      turn.isRefused ||= turn.configs.some((config) => refused.includes(config));
    }
    return false;
  }

  async #keep(config: ServerConfig): Promise<void> {
    try {
      await this.#trust.trust(config);
    } catch {
      const sentence = l10n.t(
        'Your answer could not be stored and lasts until you close the window. Check the disk space.',
      );
      notify('warning', sentence);
    }
  }
}

async function showTrustDialog({ message, detail, start }: TrustDialog): Promise<TrustAnswer> {
  const yes = start === undefined ? undefined : { title: start };
  const review = { title: l10n.t('Review') };
  const buttons = yes === undefined ? [review] : [yes, review];
  const options = { modal: true, detail: dialogText(detail) };
  const picked = await vscode.window.showWarningMessage(message, options, ...buttons);
  if (picked === undefined) return undefined;
  return picked === review ? 'review' : 'start';
}

/**
 * Shows how servers are started, to be read in full before anything runs: a read-only text, or a
 * diff if the start of one server changed.
 */
export class ServerTrustReviews implements vscode.Disposable {
  readonly #questions = new EditorQuestions<readonly TrustQuestion[], true>(
    trustScheme,
    startLenses,
  );

  /** Registers the commands that answer. */
  register(): vscode.Disposable {
    const register = vscode.commands.registerCommand;
    return vscode.Disposable.from(
      register(commands.startReviewed, (argument: unknown) =>
        this.#questions.agree(argument, (asked) => ({
          answer: true,
          sure: { question: startQuestion(asked), yes: startTitle(asked) },
        })),
      ),
      register(commands.cancelReviewed, (argument: unknown) => this.#questions.refuse(argument)),
    );
  }

  /** Resolves with true if the user agrees. Cancelling closes the document and means no. */
  async review(
    asked: readonly TrustQuestion[],
    token?: vscode.CancellationToken,
  ): Promise<boolean> {
    const [first, ...others] = asked;
    if (first === undefined) return false;
    const document = trustDocument(asked);
    const shown = {
      name: `${others.length === 0 ? toFileName(first.config.id) : 'servers'}.start.txt`,
      text:
        document.kind === 'text' ? document.text : { ...document, title: trustDiffTitle(first) },
      waiting: (uri: vscode.Uri) =>
        l10n.t(
          'Review the server, then select [{0}]({1}) or [Cancel]({2}).',
          startTitle(asked),
          commandLink(commands.startReviewed, uri.toJSON()),
          commandLink(commands.cancelReviewed, uri.toJSON()),
        ),
    };
    // A picker that waits for the start would cover the first lines of the document.
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
    try {
      return (await this.#questions.ask(asked, shown, token)) === true;
    } catch (error) {
      throw toMcpError(error);
    }
  }

  dispose(): void {
    this.#questions.dispose();
  }
}

function startLenses(asked: readonly TrustQuestion[], uri: vscode.Uri): vscode.CodeLens[] {
  const lens = (title: string, command: string): vscode.CodeLens =>
    lensAtLine(0, title, command, uri);
  return [
    lens(`$(play) ${startTitle(asked)}`, commands.startReviewed),
    lens(l10n.t('$(close) Cancel'), commands.cancelReviewed),
  ];
}
