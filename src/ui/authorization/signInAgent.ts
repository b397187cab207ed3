import * as l10n from '@vscode/l10n';
import type * as vscode from 'vscode';
import type {
  AuthorizationStore,
  ClientRegistration,
  RedirectReceiver,
  SignInAgent,
  SignInQuestion,
} from '../../core/auth/ports';
import { McpError } from '../../core/errors';
import { LinkedCancellationSource, raceCancellation } from '../../core/rpc/cancellation';
import { LoopbackReceiver, isWebPage } from '../../host/authorization/loopbackReceiver';
import type {
  SignInState,
  SignInStates,
  SignInLease,
  SignInLeases,
  SignInOccasions,
} from '../../host/authorization/signInTiming';
import { ClientReplaced, SignedInElsewhere } from '../../host/authorization/serverSignIn';
import { quoted } from '../format/sentences';
import {
  browserAnswer,
  openReceiver,
  readPasted,
  type DeviceCode,
  deviceSignIn,
  whileWaiting,
} from './browserAnswer';
import type { OpenSignIns } from './openSignIns';
import {
  askForMoreRights,
  askToSignIn,
  askForClient,
  type EnteredClient,
  pickIssuer,
  type SignInAnswer,
} from './signInDialogs';

export interface UserSignInAgentOptions {
  readonly serverId: string;
  readonly label: string;
  readonly occasions: SignInOccasions;
  readonly states: SignInStates;
  readonly turns: SignInLeases;
  readonly openSignIns: OpenSignIns;
  readonly store: Pick<AuthorizationStore, 'keepRegistration'>;
}

/** Asks the user for the sign-in at one server, but only for actions of the user. */
export class UserSignInAgent implements SignInAgent {
  readonly #options: UserSignInAgentOptions;

  constructor(options: UserSignInAgentOptions) {
    this.#options = options;
  }

  async chooseIssuer(
    serverUrl: string,
    issuers: readonly string[],
    token?: vscode.CancellationToken,
  ): Promise<string> {
    this.#throwUnlessAsked();
    const picked = await pickIssuer(this.#options.label, serverUrl, issuers, token);
    if (picked === undefined) throw new McpError('cancelled');
    return picked;
  }

  async receiver(port: number | undefined): Promise<RedirectReceiver> {
    this.#throwUnlessAsked();
    return openReceiver(port);
  }

  async authorize(
    question: SignInQuestion,
    request: Parameters<SignInAgent['authorize']>[1],
    token?: vscode.CancellationToken,
  ): Promise<URL> {
    this.#throwUnlessAsked(question.operation);
    throwUnlessPage(request.address);
    return this.#inTurn(question, token, async (joined) => {
      const begin = await this.#ask(question, joined);
      const { address, state, receiver } = request;
      if (!(receiver instanceof LoopbackReceiver)) throw new McpError('internal');
      const arrival = receiver.answer(state, joined);
      const read = (pasted: string) => readPasted(pasted, { address: receiver.address, state });
      return browserAnswer({ ...this.#options, address, arrival, read, token: joined }, begin);
    });
  }

  async askForClient(issuer: string, token?: vscode.CancellationToken): Promise<EnteredClient> {
    this.#throwUnlessAsked();
    const client = await askForClient(issuer, token);
    if (client === undefined) throw new McpError('cancelled');
    return client;
  }

  checkAsked(): void {
    this.#throwUnlessAsked();
  }

  async showDeviceCode(
    question: SignInQuestion,
    device: DeviceCode,
    done: Promise<unknown>,
    token?: vscode.CancellationToken,
  ): Promise<void> {
    this.#throwUnlessAsked(question.operation);
    throwUnlessPage(device.verificationUri);
    await this.#inTurn(question, token, (joined) =>
      deviceSignIn({ ...this.#options, question, device, done, token: joined }),
    );
  }

  #throwUnlessAsked(operation?: string): void {
    const { occasions, serverId } = this.#options;
    if (!occasions.isOpen(serverId, operation)) throw new McpError('signInNeeded');
  }

  /** Only one sign-in runs at a time across all windows. The row shows it and can cancel it. */
  async #inTurn<T>(
    question: SignInQuestion,
    token: vscode.CancellationToken | undefined,
    work: (token: vscode.CancellationToken) => Promise<T>,
  ): Promise<T> {
    const { serverId, states, openSignIns } = this.#options;
    const turn = await this.#takeTurn(question, token);
    const source = new LinkedCancellationSource(token, turn.lost);
    const entry = openSignIns.add(serverId, { cancel: () => source.cancel() });
    states.set(serverId, stateWhile(question, states.of(serverId)));
    try {
      return await work(source.token);
    } finally {
      entry.dispose();
      source.dispose();
      turn.dispose();
    }
  }

  /** @throws {McpError} cancelled | {@link SignedInElsewhere} */
  async #takeTurn(
    { issuer, resource }: SignInQuestion,
    token: vscode.CancellationToken | undefined,
  ): Promise<SignInLease> {
    const { turns, serverId, label, openSignIns } = this.#options;
    const place = { issuer, resource };
    const turn = await turns.take(place);
    if (turn !== undefined) return turn;
    const source = new LinkedCancellationSource(token);
    let isOver = false;
    const takeOver = () => {
      isOver = true;
      source.cancel();
    };
    const title = l10n.t('Another window is signing in to “{0}”', quoted(label));
    const steps = { takeOver, cancel: () => source.cancel() };
    try {
      const free = turns.free(place, source.token);
      await whileWaiting(openSignIns, { serverId, title, steps }, free);
    } catch (error) {
      const taken = isOver ? await turns.take(place, true) : undefined;
      if (taken === undefined) throw error;
      return taken;
    } finally {
      source.dispose();
    }
    throw new SignedInElsewhere();
  }

  /** @throws {McpError} cancelled | {@link ClientReplaced} */
  async #ask(question: SignInQuestion, token: vscode.CancellationToken): Promise<'open' | 'copy'> {
    const { label, store } = this.#options;
    const ask = question.reason === 'stepUp' ? askForMoreRights : askToSignIn;
    // A modal dialog cannot be closed from code; an answer after the cancellation is ignored.
    const answer: SignInAnswer = await raceCancellation(ask(label, question), token);
    if (answer === undefined) throw new McpError('cancelled');
    if (answer !== 'otherClient') return answer;
    const client = await askForClient(question.issuer, token);
    if (client === undefined) throw new McpError('cancelled');
    await store.keepRegistration(givenRegistration(question.issuer, client));
    throw new ClientReplaced();
  }
}

/** Returns the client that the user entered, until the server's metadata requires another way. */
export function givenRegistration(
  issuer: string,
  { clientId, clientSecret }: EnteredClient,
): ClientRegistration {
  const secret =
    clientSecret === undefined
      ? ({ authentication: 'none' } as const)
      : ({ clientSecret, authentication: 'client_secret_basic' } as const);
  return { issuer, clientId, ...secret, from: 'given' };
}

/** While a call waits for more scopes, its server keeps its state. */
function stateWhile(
  { reason, addedScopes }: SignInQuestion,
  before: SignInState | undefined,
): SignInState {
  return reason === 'stepUp' && before !== undefined && 'account' in before
    ? { kind: 'moreRights', account: before.account, scopes: addedScopes }
    : { kind: 'signingIn' };
}

function throwUnlessPage(address: string): void {
  if (!isWebPage(address)) throw new McpError('signInFailed');
}
