import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { LinkedCancellationSource } from '../../core/rpc/cancellation';
import { McpError, toMcpError } from '../../core/errors';
import { SignInOccasions } from '../../host/authorization/signInTiming';
import type { ServerConfig } from '../../host/configuration/serverConfig';
import type { ServerRegistry } from '../../host/connections/registry';
import type { Server } from '../../host/connections/snapshot';
import type { ServerTrustQuestions } from '../serverTrust/serverTrustQuestions';
import { withDelayedProgress } from '../editor/delayedProgress';
import { commands } from '../../ids';
import { notify, notifyServerError, showLogAction } from '../editor/messages';
import { quoted } from '../format/sentences';
import { printedSentence } from '../format/sentencesOfProblems';
import { manageTrustCommand } from '../format/startCommand';

/**
 * Starts and stops servers for the user: with progress if it takes long, and a message if it fails.
 * The methods never reject; they resolve with false on failure.
 */
export class ServerActions {
  readonly #registry: ServerRegistry;
  readonly #trust: Pick<ServerTrustQuestions, 'ask'>;

  readonly #startsOnUse: () => boolean;
  readonly #occasions: Pick<SignInOccasions, 'during'>;

  /**
   * `startsOnUse` says whether a server starts when one of its tools is called, which defaults to
   * false. `occasions` learns of starts by the user, during which a sign-in may be asked for.
   */
  constructor(
    registry: ServerRegistry,
    trust: Pick<ServerTrustQuestions, 'ask'>,
    startsOnUse: () => boolean = () => false,
    occasions: Pick<SignInOccasions, 'during'> = new SignInOccasions(),
  ) {
    this.#registry = registry;
    this.#trust = trust;
    this.#startsOnUse = startsOnUse;
    this.#occasions = occasions;
  }

  /** Starts a stopped server because it is needed now. Asks first if necessary. */
  async startForUse(id: string, isByHand = true, begun?: OnStartBegun): Promise<boolean> {
    const server = this.#registry.find(id);
    if (server?.state.kind === 'running') return true;
    const isRequested = this.#startsOnUse() || (await offerStart(server?.config.label ?? id));
    return isRequested && this.start(id, isByHand, begun);
  }

  /**
   * Unless `isFromUser` is set, a server that needs a sign-in does not start, and its row says why.
   */
  async start(id: string, isByHand = true, begun?: OnStartBegun): Promise<boolean> {
    const server = this.#registry.find(id);
    if (!(await this.#mayStart([server]))) return false;
    const startToken = begun?.(server?.config.label ?? id);
    return this.#run(
      id,
      (label) => startingTitle(label, server?.config),
      (progress) => {
        const { token } = new LinkedCancellationSource(progress, startToken);
        return this.#attended(id, isByHand, () => this.#registry.start(id, token));
      },
    );
  }

  /** If the user refuses, the running server keeps running. */
  async restart(id: string, isByHand = true): Promise<boolean> {
    if (!(await this.#mayStart([this.#registry.find(id)]))) return false;
    return this.#run(
      id,
      (label) => l10n.t('Restarting server “{0}”…', label),
      (token) => this.#attended(id, isByHand, () => this.#registry.restart(id, token)),
    );
  }

  stop(id: string): Promise<boolean> {
    return this.#run(
      id,
      (label) => l10n.t('Stopping server “{0}”…', label),
      () => this.#registry.stop(id),
    );
  }

  refreshTools(id: string): Promise<boolean> {
    return this.#run(
      id,
      (label) => l10n.t('Listing the tools of “{0}”…', label),
      () => this.#registry.refreshTools(id),
    );
  }

  /**
   * Starts all of `servers` after one question for all of them. A refusal starts none. Failures are
   * shown in one message, and each in its row.
   */
  async startAll(servers: readonly Server[]): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      notify(
        'error',
        l10n.t('No server was started because this workspace is not trusted. Trust it first.'),
        manageTrustCommand(),
      );
      return;
    }
    if (!(await this.#mayStart(servers))) return;
    const [only] = servers.length === 1 ? servers : [];
    const title =
      only === undefined
        ? l10n.t('Starting {0} servers…', servers.length)
        : l10n.t('Starting server “{0}”…', quoted(only.config.label));
    const failed = await withDelayedProgress(title, async (token) => {
      const errors = await Promise.all(
        servers.map(async ({ config }) => {
          try {
            await this.#registry.start(config.id, token);
            return [];
          } catch (error) {
            return [{ config, error: toMcpError(error) }];
          }
        }),
      );
      // Several sign-in questions in a row are not what the user asked for.
      return errors
        .flat()
        .filter(({ error }) => !isCancelledByUser(error) && error.code !== 'signInNeeded');
    });
    const [first] = failed;
    if (first === undefined) return;
    if (failed.length === 1) {
      notifyServerError(first.config, first.error);
      return;
    }
    const names = failed.map(({ config }) => quoted(config.label)).slice(0, maxNames);
    const shown = failed.length > names.length ? [...names, '…'] : names;
    notify(
      'error',
      l10n.t(
        '{0} of {1} servers did not start: {2}. See their rows in the tree.',
        failed.length,
        servers.length,
        shown.join(', '),
      ),
    );
  }

  async #run(
    id: string,
    title: (label: string) => string,
    act: (token: vscode.CancellationToken) => Promise<unknown>,
  ): Promise<boolean> {
    const server = this.#registry.find(id)?.config ?? { id, label: id };
    const signingIn = this.#signingIn(id);
    const printed = this.#reportPrinted(id);
    try {
      if (this.#registry.find(id) === undefined) throw new McpError('unknownServer');
      // An action that takes no token cannot be cancelled.
      const canCancel = act.length > 0;
      await withDelayedProgress(title(quoted(server.label)), act, canCancel, signingIn.begun);
      return true;
    } catch (error) {
      const told = toMcpError(error);
      if (!isCancelledByUser(told)) notifyServerError(server, told);
      return false;
    } finally {
      printed.dispose();
      signingIn.dispose();
    }
  }

  /** Says what a server has printed that does not answer, long before the start times out. */
  #reportPrinted(id: string): { dispose(): void } {
    const subscription = this.#registry.onDidChange(() => {
      const server = this.#registry.find(id);
      if (server?.state.kind !== 'starting' || server.state.printed === undefined) return;
      subscription.dispose();
      const sentence = printedSentence(server.config.label, server.state.printed);
      const stop = { title: l10n.t('Stop Server'), command: commands.stopServer, arguments: [id] };
      notify('warning', sentence, showLogAction(id), stop);
    });
    return subscription;
  }

  /** The sign-in then shows a notification of its own. */
  #signingIn(id: string): { readonly begun: Promise<void>; dispose(): void } {
    const subscriptions: { dispose(): void }[] = [];
    const begun = new Promise<void>((resolve) => {
      const subscription = this.#registry.onDidChange(() => {
        if (this.#registry.find(id)?.signIn?.kind === 'signingIn') resolve();
      });
      subscriptions.push(subscription);
    });
    return { begun, dispose: () => subscriptions.forEach((each) => each.dispose()) };
  }

  #attended<T>(id: string, isByHand: boolean, work: () => Promise<T>): Promise<T> {
    return isByHand ? this.#occasions.during(id, work) : work();
  }

  /**
   * Asks about all servers at once, before the progress begins, so that no progress shows behind
   * the question. The registry asks again and finds the answer. Servers that cannot start are left
   * out; starting them says why.
   */
  async #mayStart(servers: readonly (Server | undefined)[]): Promise<boolean> {
    if (!vscode.workspace.isTrusted) return true;
    const configs = servers.flatMap((server) => {
      if (server === undefined || server.isDisabled === true) return [];
      return server.configProblems.some(({ fatal }) => fatal) ? [] : [server.config];
    });
    try {
      return await this.#trust.ask(configs);
    } catch (error) {
      const [first] = configs;
      if (first !== undefined) notifyServerError(first, toMcpError(error));
      return false;
    }
  }
}

/**
 * Is called when all questions are answered and the server starts. The returned token cancels the
 * start.
 */
export type OnStartBegun = (label: string) => vscode.CancellationToken;

const maxNames = 5;

/** A user who cancelled or refused needs no message. */
function isCancelledByUser({ code }: McpError): boolean {
  return code === 'cancelled' || code === 'notApproved';
}

/** Returns the title while a server starts. A remote one is only connected to. */
function startingTitle(label: string, config: ServerConfig | undefined): string {
  return config === undefined || config.transport.kind === 'stdio'
    ? l10n.t('Starting server “{0}”…', label)
    : l10n.t('Connecting to “{0}”…', label);
}

async function offerStart(label: string): Promise<boolean> {
  // Starting it says what prevents it.
  if (!vscode.workspace.isTrusted) return true;
  const start = l10n.t('Start Server');
  const sentence = l10n.t('Server “{0}” is not running. Start it first?', quoted(label));
  return (await vscode.window.showInformationMessage(sentence, start)) === start;
}
