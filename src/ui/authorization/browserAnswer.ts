import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { McpError } from '../../core/errors';
import { raceCancellation } from '../../core/rpc/cancellation';
import { openAddress } from '../editor/openAddress';
import { quoted } from '../format/sentences';
import type { OpenSignIns } from './openSignIns';
import { whileWaiting } from './signInNotice';

/** Who has not come back from the browser by then has given up. */
const patienceMs = 10 * 60_000;

export interface BrowserWait {
  readonly serverId: string;
  readonly label: string;
  /** The page to sign in on. */
  readonly address: string;
  readonly openSignIns: OpenSignIns;
  /** What the browser brings to the listener. */
  readonly arrival: Promise<URL>;
  /** Reads what the person pasted; a sentence says why it is not what is waited for. */
  readonly read: (pasted: string) => URL | { readonly problem: string };
  /** Ends it from outside: the call, the start, or another window that takes over. */
  readonly tokens: readonly (vscode.CancellationToken | undefined)[];
}

/**
 * Opens the page, or only copies its address, and waits for the address to which the browser is
 * sent in the end: it comes to the listener, or is pasted.
 * @throws {McpError} cancelled | signInNeeded after ten minutes
 */
export async function browserAnswer(wait: BrowserWait, begin: 'open' | 'copy'): Promise<URL> {
  const { label, serverId, address, openSignIns, read, arrival } = wait;
  const source = joinedToken(wait.tokens);
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
    // An input box for the address may be open still.
    source.cancel();
  }
}

/** Cancelled when one of `tokens` is. */
function joinedToken(
  tokens: readonly (vscode.CancellationToken | undefined)[],
): vscode.CancellationTokenSource {
  const source = new vscode.CancellationTokenSource();
  for (const each of tokens) {
    if (each?.isCancellationRequested === true) source.cancel();
    each?.onCancellationRequested(() => source.cancel());
  }
  return source;
}

async function openPage(address: string): Promise<void> {
  try {
    // A no to VS Code's own question is none to ours: whoever copied the address there goes on.
    await openAddress(address);
  } catch {
    // The link can still be copied.
  }
}

async function copyLink(address: string): Promise<void> {
  await vscode.env.clipboard.writeText(address);
  const sentence = l10n.t('Link copied. Open it in any browser, on any machine.');
  vscode.window.setStatusBarMessage(sentence, statusMs);
}

const statusMs = 5_000;

/** Lets the person paste the address of the page that could not be loaded. */
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
      // It holds what signs in.
      password: true,
      ignoreFocusOut: true,
      validateInput,
    },
    token,
  );
  const result = entered === undefined ? undefined : read(entered);
  return result instanceof URL ? result : undefined;
}
