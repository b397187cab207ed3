import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { SignInQuestion } from '../../core/auth/ports';
import { isSameSite } from '../../core/auth/serverMetadata';
import { McpError } from '../../core/errors';
import { LinkedCancellationSource, raceCancellation } from '../../core/rpc/cancellation';
import { visibleText } from '../../core/visibleText';
import {
  LoopbackReceiver,
  type NoRedirectAnswer,
  readPastedRedirect,
} from '../../host/authorization/loopbackReceiver';
import { internalCommands } from '../../ids';
import { openAddress, showStatus } from '../editor/messages';
import { commandLink } from '../editor/ownArguments';
import { quoted } from '../format/sentences';
import { isUnusualSignIn, signInDetail } from './formatSignIn';
import type { OpenSignIns, SignInSteps } from './openSignIns';

/** After this time the sign-in in the browser is considered abandoned. */
const patienceMs = 10 * 60_000;

interface SignInWait {
  readonly serverId: string;
  readonly label: string;
  readonly openSignIns: OpenSignIns;
  /** Cancels from outside: the call, the start, or another window that takes over. */
  readonly token: vscode.CancellationToken;
}

interface BrowserWait extends SignInWait {
  /** URL of the sign-in page. */
  readonly address: string;
  /** Resolves with the URL that the browser requests from the listener. */
  readonly arrival: Promise<URL>;
  /** Parses the pasted URL, or says why it is not the expected one. */
  readonly read: (pasted: string) => URL | { readonly problem: string };
}

/**
 * Opens the page or copies its URL, and waits for the redirect URL, which arrives at the listener
 * or is pasted.
 * @throws {McpError} cancelled | signInNeeded after ten minutes
 */
export async function browserAnswer(wait: BrowserWait, begin: 'open' | 'copy'): Promise<URL> {
  const { label, serverId, address, openSignIns, read, arrival } = wait;
  const source = new LinkedCancellationSource(wait.token);
  let timer: NodeJS.Timeout | undefined;
  const pasted = new vscode.EventEmitter<URL>();
  const pasting = new Promise<URL>((resolve) => {
    pasted.event(resolve);
  });
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new McpError('signInNeeded')), patienceMs);
  });
  const answer = raceCancellation(Promise.race([arrival, pasting, tooLate]), source.token);
  const steps = {
    copyLink: () => copyLink(address),
    pasteAddress: async () => {
      const url = await enterAddress(label, read, source.token);
      if (url !== undefined) pasted.fire(url);
    },
    cancel: () => source.cancel(),
  };
  try {
    const title = l10n.t('Signing in to “{0}”: waiting for the browser', quoted(label));
    const shown = whileWaiting(openSignIns, { serverId, title, steps }, answer);
    if (begin === 'open') void openPage(address);
    else await steps.copyLink();
    return await shown;
  } finally {
    clearTimeout(timer);
    pasted.dispose();
    // The input box for the URL may still be open.
    source.cancel();
    source.dispose();
  }
}

async function openPage(address: string): Promise<void> {
  try {
    // A no to VS Code's question does not cancel the sign-in: the user may have copied the URL
    // there.
    await openAddress(address);
  } catch {
    // The link can still be copied.
  }
}

async function copyLink(address: string): Promise<void> {
  await vscode.env.clipboard.writeText(address);
  const sentence = l10n.t('Link copied. Open it in any browser, on any machine.');
  showStatus(sentence);
}

/** Lets the user paste the URL of the page that could not be loaded. */
async function enterAddress(
  label: string,
  read: BrowserWait['read'],
  token: vscode.CancellationToken,
): Promise<URL | undefined> {
  const validateInput = (text: string): string | undefined => {
    const result = text.trim() === '' ? undefined : read(text);
    return result === undefined || result instanceof URL ? undefined : result.problem;
  };
  const entered = await vscode.window.showInputBox(
    {
      title: l10n.t('Sign In to “{0}”: Paste URL', quoted(label)),
      prompt: l10n.t(
        'If the browser ends on a page that does not load, paste the full URL of that page here.',
      ),
      // The URL contains a code that signs in.
      password: true,
      ignoreFocusOut: true,
      validateInput,
    },
    token,
  );
  const result = entered === undefined ? undefined : read(entered);
  return result instanceof URL ? result : undefined;
}

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
  return {
    tooLong: l10n.t('This is too long for a sign-in URL.'),
    notAnAddress: l10n.t('This is not a URL. Copy the full URL of the page.'),
    otherAddress: l10n.t('This URL belongs to another page than the one that did not load.'),
    noState: l10n.t('The code alone is not enough. Copy the full URL of the page.'),
    otherState: l10n.t('This URL belongs to a different sign-in.'),
    duplicate: l10n.t('This URL repeats a parameter and cannot be trusted.'),
    noOutcome: l10n.t(
      'This URL contains no sign-in response. Finish the sign-in in the browser first.',
    ),
  }[reason];
}

export interface DeviceCode {
  readonly userCode: string;
  readonly verificationUri: string;
  readonly verificationUriComplete?: string;
}

interface DeviceSignIn extends SignInWait {
  readonly question: SignInQuestion;
  readonly device: DeviceCode;
  /** Settles when the server reports the sign-in, or after its time limit. */
  readonly done: Promise<unknown>;
}

const maxCodeChars = 40;

/**
 * Signs in with a code that the user types on another page, possibly on another device. Shows the
 * code in a modal dialog, which has the largest letters, and then a notification until the server
 * reports the sign-in.
 * @throws {McpError} cancelled
 */
export async function deviceSignIn(parts: DeviceSignIn): Promise<void> {
  const { serverId, label, question, device, openSignIns, done } = parts;
  const source = new LinkedCancellationSource(parts.token);
  const code = visibleText(device.userCode, maxCodeChars);
  const copyCode = async () => vscode.env.clipboard.writeText(device.userCode);
  const copyAddress = async () => vscode.env.clipboard.writeText(device.verificationUri);
  try {
    const open = { title: l10n.t('Copy Code and Open Browser') };
    const copy = { title: l10n.t('Copy Code') };
    const page = l10n.t('Enter the code at: {0}', visibleText(device.verificationUri, 300));
    const detail = `${page}\n${signInDetail(question)}`;
    const options = { modal: true, detail };
    // The code comes first, so that no line break splits it.
    const message = l10n.t('Use {1} to sign in to server “{0}”', visibleText(label, 200), code);
    // As before any other page, Enter opens nothing if the site is unexpected.
    const isForeign =
      isUnusualSignIn(question) || !isSameSite(question.serverUrl, device.verificationUri);
    const asked = isForeign
      ? vscode.window.showWarningMessage(message, options, copy, open)
      : vscode.window.showInformationMessage(message, options, open, copy);
    const pressed = await raceCancellation(Promise.resolve(asked), source.token);
    if (pressed === undefined) throw new McpError('cancelled');
    await copyCode();
    if (pressed === open) void openAddress(device.verificationUri).then(undefined, () => undefined);
    const title = l10n.t('Signing in to “{0}” with the code {1}', quoted(label), code);
    const steps = { copyCode, copyLink: copyAddress, cancel: () => source.cancel() };
    const waiting = raceCancellation(done, source.token);
    await whileWaiting(openSignIns, { serverId, title, steps }, waiting);
  } finally {
    source.dispose();
  }
}

/** Returns the link of each step, with its internal command. */
function linksOf(steps: SignInSteps, id: string): readonly string[] {
  const link = (title: string, command: string) => `[${title}](${commandLink(command, id)})`;
  return [
    ...(steps.copyCode ? [link(l10n.t('Copy Code'), internalCommands.copySignInCode)] : []),
    ...(steps.copyLink ? [link(l10n.t('Copy Link'), internalCommands.copySignInLink)] : []),
    ...(steps.pasteAddress
      ? [link(l10n.t('Paste URL…'), internalCommands.pasteSignInAddress)]
      : []),
    ...(steps.takeOver ? [link(l10n.t('Take Over'), internalCommands.takeOverSignIn)] : []),
  ];
}

/**
 * Shows a notification with Cancel and a link for each step until `work` has settled. Only a
 * progress notification can be closed from code, and it has no buttons, so it has links.
 */
export function whileWaiting<T>(
  open: OpenSignIns,
  { serverId, title, steps }: { serverId: string; title: string; steps: SignInSteps },
  work: Promise<T>,
): Promise<T> {
  const entry = open.add(serverId, steps);
  const location = vscode.ProgressLocation.Notification;
  void vscode.window.withProgress({ location, title, cancellable: true }, async (out, token) => {
    const subscription = token.onCancellationRequested(() => steps.cancel());
    out.report({ message: linksOf(steps, entry.id).join(' · ') });
    // The caller that awaits the work gets its error.
    await work.then(undefined, () => undefined);
    subscription.dispose();
  });
  return work.finally(() => entry.dispose());
}
