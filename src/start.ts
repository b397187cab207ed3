import { setImmediate } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ToolgateApi } from './api';
import { argumentsScheme, scheme } from './ids';
import type { Active } from './ui/activation/inactive';
import { hasWork, isInSight, onActivationTrigger } from './ui/activation/activationTriggers';
import { InactiveFileSystem, InactiveApi } from './ui/activation/inactiveFiles';
import {
  registerActivationStubs,
  type TestRequest,
  notifyNotLoaded,
} from './ui/activation/activationStubs';
import { argumentFileOptions, resultFileOptions } from './ui/editor/fileSystems';
import { setWindowFacts } from './ui/format/windowFacts';

/**
 * Parts of `extension.ts` that are loaded before it, each in a turn of the extension host of its own, so
 * that other extensions do not wait.
 */
const partsInTurns = [
  () => import('./ui/calls/callToolCommand'),
  () => import('./ui/tree/serverTree'),
  () => import('./ui/results/results'),
];

/** The active extension. An extension host has only one. */
let active: Active | undefined;

/**
 * Loaded into every window. Registers every entry point, reads nothing, and loads `extension.ts`
 * when one is used, or when the window turns out to have servers.
 */
export function activate(context: vscode.ExtensionContext): ToolgateApi {
  prepareTexts();
  let waking: Promise<ToolgateApi> | undefined;
  const wake = (): Promise<ToolgateApi> => (waking ??= wakeUp());
  const wakeSoon = (): void => void wake().catch(() => undefined);
  const links = new vscode.EventEmitter<vscode.Uri>();
  const tests = new vscode.EventEmitter<TestRequest>();
  const api = new InactiveApi(wake);
  const stubs = vscode.Disposable.from(
    registerActivationStubs(wake, (request) => tests.fire(request)),
    onActivationTrigger(context, wakeSoon),
  );
  const linkHandler = followLinks(wake, links);
  let isOver = false;
  const end = new vscode.Disposable(() => (isOver = true));
  context.subscriptions.push(stubs, linkHandler, links, tests, api, end, ...filesOf(wake));

  async function wakeUp(): Promise<ToolgateApi> {
    try {
      const { createExtension, readFirst } = await loadInTurns();
      const configured = await readFirst(context);
      if (isOver) throw new vscode.CancellationError();
      const events = { onDidOpenLink: links.event, onDidRequestTests: tests.event };
      active = createExtension(context, { stubs, ...events, configured });
      api.follow(active.api);
      return active.api;
    } catch (error) {
      if (!isOver) notifyNotLoaded(error);
      throw error;
    }
  }

  void setImmediate().then(() => {
    // If it cannot be determined, the extension activates and finds out.
    lookAround(context, wakeSoon).catch(wakeSoon);
  });
  return api;
}

async function loadInTurns() {
  for (const load of partsInTurns) {
    await load();
    await setImmediate();
  }
  return import('./extension');
}

/** VS Code has loaded the translation for its display language already, if there is one. */
function prepareTexts(): void {
  if (vscode.l10n.bundle !== undefined) l10n.config({ contents: vscode.l10n.bundle });
  setWindowFacts({
    language: vscode.env.language,
    isTrusted: () => vscode.workspace.isTrusted,
    relativePath: (path) => vscode.workspace.asRelativePath(path),
  });
}

function filesOf(wake: () => Promise<unknown>): readonly vscode.Disposable[] {
  return [
    new InactiveFileSystem(scheme, resultFileOptions(), wake),
    new InactiveFileSystem(argumentsScheme, argumentFileOptions, wake),
  ];
}

/**
 * Registered for the whole life of the window, because there can be only one URI handler. It passes
 * links on to the active extension.
 */
function followLinks(
  wake: () => Promise<unknown>,
  links: vscode.EventEmitter<vscode.Uri>,
): vscode.Disposable {
  return vscode.window.registerUriHandler({
    handleUri: async (uri) => {
      await wake();
      links.fire(uri);
    },
  });
}

/**
 * VS Code waits a few seconds for this. Whatever runs after that is killed when the process exits.
 */
export async function deactivate(): Promise<void> {
  await active?.stop();
}

async function lookAround(context: vscode.ExtensionContext, wake: () => void): Promise<void> {
  if (isInSight() || (await hasWork(context))) wake();
}
