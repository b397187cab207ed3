import { createInterface } from 'node:readline';
import type { CancellationToken } from 'vscode-jsonrpc/node';
import { isSameIssuer, isSameSite } from '../core/auth/serverMetadata';
import { isMachineGrant } from '../core/auth/signInWithoutBrowser';
import type {
  OAuthConfiguration,
  RedirectReceiver,
  SignInAgent,
  SignInQuestion,
  TokenGrant,
} from '../core/auth/ports';
import { revokeGrant } from '../core/auth/tokenRequests';
import { McpError } from '../core/errors';
import { browserCommand, openInBrowser } from '../core/stdio/browser';
import { raceCancellation } from '../core/rpc/cancellation';
import {
  LoopbackReceiver,
  isWebPage,
  readPastedRedirect,
} from '../host/authorization/loopbackReceiver';
import type { RevokeGrant, SignOutResult } from '../host/authorization/storedAuthorizations';
import { fillInputs } from '../host/configuration/inputs';
import {
  hasAuthorizationHeader,
  type HttpServerTransport,
  type ServerConfig,
} from '../host/configuration/serverConfig';
import type { CommandTools } from './commandTools';
import type { CliOutput } from './cliOutput';
import type { CliSession } from './cliSession';
import { listenForBrowser, signInFolder } from './cliSignIns';
import { inputsFrom, secretVariable } from './cliValues';
import { inLine } from './errorMessage';
import { exitCodes, UsageError, type ExitCode } from './exitCodes';
import { onlyServer } from './typedServer';

/** Starts one server and signs in when it asks for that. @throws {UsageError} */
export async function loginCommand(
  operands: readonly string[],
  options: CommandTools,
): Promise<ExitCode> {
  const { session, signIns, output, env } = options;
  const config = namedServer('login', operands, session);
  if (isMachineGrant(httpTransportOf(config).oauth ?? {})) {
    throw new UsageError(`"${config.id}" signs in by itself, as its entry says.`);
  }
  const agent = new TerminalSignIn(config.id, options);
  signIns.ask({ serverId: config.id, agent, chosen: chosenConfiguration(options) });
  try {
    await session.start(config.id);
  } catch (thrown) {
    output.notify(session.startFailure(config.id, thrown, output.redact));
    return session.isCancelled ? exitCodes.cancelled : exitCodes.serverFailed;
  }
  const grant = await signIns.grantOf(config.id);
  if (grant === undefined) {
    output.notify(`"${config.id}" started without a sign-in.`);
    return signIns.hasFailed ? exitCodes.failed : exitCodes.passed;
  }
  output.report(`${agent.wasAsked ? 'Signed in' : 'Already signed in'} ${accountText(grant)}\n`);
  if (signIns.hasFailed) return exitCodes.failed;
  output.notify(`Its tokens are kept in ${signInFolder(env)}, unencrypted, for your user only.`);
  output.notify('"toolgate logout" revokes and deletes them.');
  return exitCodes.passed;
}

/** @throws {UsageError} for a secret that is not a variable with a value */
function chosenConfiguration({ chosen, env, secrets }: CommandTools): OAuthConfiguration {
  const { scopes, clientId, clientSecret: written, redirectPort } = chosen.login;
  const clientSecret =
    written === undefined ? undefined : secretVariable('--client-secret', written, env, secrets);
  return {
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(redirectPort === undefined ? {} : { redirectPort }),
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
  };
}

/** Revokes and deletes what was granted for one server, or for all. @throws {UsageError} */
export async function logoutCommand(
  operands: readonly string[],
  options: CommandTools,
): Promise<ExitCode> {
  const { session, signIns, output, secrets, env, chosen } = options;
  if (chosen.login.isForAll) {
    if (operands.length > 0) throw new UsageError('logout --all takes no server.');
    const accounts = await signIns.kept.accounts();
    for (const account of accounts) {
      notifySignedOut(account.resource, await signIns.kept.signOut(account, revoke), output);
    }
    if (accounts.length === 0) output.notify('There is no sign-in.');
    return signIns.hasFailed ? exitCodes.failed : exitCodes.passed;
  }
  const config = namedServer('logout', operands, session);
  const filled = await fillInputs(config, inputsFrom(env, secrets), session.token);
  const { url } = httpTransportOf({ ...config, transport: filled });
  notifySignedOut(config.id, await signIns.storeFor(config).signOut(url, revoke), output);
  return signIns.hasFailed ? exitCodes.failed : exitCodes.passed;
}

/** Asks the authorization server of the grant and no other. */
const revoke: RevokeGrant = (grant, registration) =>
  revokeGrant(grant, registration, grant.resource);

function notifySignedOut(what: string, done: SignOutResult | undefined, output: CliOutput): void {
  if (done === undefined) {
    output.notify(`There is no sign-in for "${inLine(what)}".`);
    return;
  }
  output.report(`Signed out of ${inLine(output.redact(what))}\n`);
  if (done.notRevoked.length === 0) return;
  output.notify('The server did not revoke all tokens. The others remain valid until they expire.');
}

function accountText({ issuer, accountLabel, grantedScopes, askedScopes }: TokenGrant): string {
  const who = accountLabel === '' ? '' : ` as ${inLine(accountLabel)}`;
  const scopes = (grantedScopes ?? askedScopes).join(' ');
  return `at ${inLine(issuer)}${who}${scopes === '' ? '' : `, scopes: ${inLine(scopes)}`}`;
}

function namedServer(
  command: string,
  operands: readonly string[],
  session: CliSession,
): ServerConfig {
  const id = onlyServer(command, operands);
  const server = session.named(id);
  if (hasAuthorizationHeader(httpTransportOf(server.config))) {
    throw new UsageError(`"${id}" has an Authorization header, which replaces a sign-in.`);
  }
  return server.config;
}

/** @throws {UsageError} for a program */
function httpTransportOf({
  id,
  transport,
}: Pick<ServerConfig, 'id' | 'transport'>): HttpServerTransport {
  if (transport.kind !== 'stdio') return transport;
  throw new UsageError(`"${id}" is a program. Only servers with a URL have a sign-in.`);
}

/** A user at a terminal, who signs in in a browser on this machine or on another one. */
class TerminalSignIn implements SignInAgent {
  readonly #serverId: string;
  readonly #options: CommandTools;
  wasAsked = false;

  constructor(serverId: string, options: CommandTools) {
    this.#serverId = serverId;
    this.#options = options;
  }

  chooseIssuer(_serverUrl: string, issuers: readonly string[]): Promise<string> {
    const { issuer: wanted } = this.#options.chosen.login;
    const issuer =
      wanted === undefined ? undefined : issuers.find((each) => isSameIssuer(each, wanted));
    if (issuer !== undefined) return Promise.resolve(issuer);
    const detail = `name one of its authorization servers by --issuer: ${issuers.join(' ')}`;
    return Promise.reject(new McpError('signInFailed', { detail }));
  }

  receiver(port: number | undefined): Promise<RedirectReceiver> {
    return listenForBrowser(port);
  }

  async authorize(
    question: SignInQuestion,
    { address, state, receiver }: Parameters<SignInAgent['authorize']>[1],
    token?: CancellationToken,
  ): Promise<URL> {
    if (!(receiver instanceof LoopbackReceiver)) throw new McpError('internal');
    this.#notifyQuestion(question);
    this.#open(address);
    const { context, output } = this.#options;
    const { stdin } = context.streams;
    output.notify('Waiting for the browser. If it ends on a page that does not load, paste the');
    output.notify('URL of that page here.');
    const pasted = createInterface({ input: stdin });
    const pasting = new Promise<URL>((resolve) => {
      pasted.on('line', (line) => {
        const read = readPastedRedirect(line, { address: receiver.address, state });
        if (read.kind === 'answer') resolve(read.address);
        else output.notify('This URL belongs to a different sign-in.');
      });
    });
    try {
      return await Promise.race([receiver.answer(state, token), pasting]);
    } finally {
      pasted.close();
      stdin.pause();
    }
  }

  askForClient(issuer: string): Promise<never> {
    const detail = `${issuer} registers no clients; name a client by --client-id, or in "oauth" of its entry`;
    return Promise.reject(new McpError('signInFailed', { detail }));
  }

  async showDeviceCode(
    question: SignInQuestion,
    device: { readonly userCode: string; readonly verificationUri: string },
    done: Promise<unknown>,
    token?: CancellationToken,
  ): Promise<void> {
    this.#notifyQuestion(question);
    this.#options.output.notify(`Enter the code ${inLine(device.userCode)} on the page:`);
    this.#open(device.verificationUri);
    await raceCancellation(done, token);
  }

  #notifyQuestion({
    serverUrl,
    issuer,
    authorizationOrigin,
    resource,
    scopes,
  }: SignInQuestion): void {
    const { output } = this.#options;
    this.wasAsked = true;
    const foreign = [issuer, authorizationOrigin].find((each) => !isSameSite(serverUrl, each));
    output.notify(`Server "${this.#serverId}" (${serverUrl}) requires a sign-in at ${issuer}.`);
    if (foreign !== undefined) output.notify(`Warning: ${foreign} is not the site of the server.`);
    output.notify(
      `Scopes: ${scopes.length === 0 ? 'chosen by the server' : inLine(scopes.join(' '))}`,
    );
    output.notify(`The token is for ${resource} and is sent nowhere else.`);
  }

  /** @throws {McpError} signInFailed for what is no web page */
  #open(address: string): void {
    const { output, env, chosen } = this.#options;
    if (!isWebPage(address)) throw new McpError('signInFailed');
    const browser = chosen.login.opensBrowser ? browserCommand(address, env) : undefined;
    output.notify(browser === undefined ? 'Open this page:' : 'A browser opens this page:');
    output.notify(address);
    if (browser === undefined) return;
    // The URL was already written above.
    openInBrowser(browser, env, () => output.notify('No browser could be opened.'));
  }
}
