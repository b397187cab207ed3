import { setTimeout as delay } from 'node:timers/promises';
import type * as vscode from 'vscode';

/** Before each try after the first, twice the pause before; about 5 s in all. */
const firstPauseMs = 10;
const maxTries = 10;
const savings = new WeakMap<vscode.TextDocument, Promise<void>>();

/**
 * Saves the document if it has changes, whatever its `isDirty` says: that is false after every
 * saving, also when somebody typed on while it went on. One saving after the other, because VS Code
 * gives up both of two that meet; and more than once, because it saves by itself, too, and then a
 * formatter may take its time.
 */
export function keepDocument(document: vscode.TextDocument): Promise<void> {
  const kept = (savings.get(document) ?? Promise.resolve()).then(() => keep(document));
  savings.set(
    document,
    kept.catch(() => undefined),
  );
  return kept;
}

async function keep(document: vscode.TextDocument): Promise<void> {
  // A document that was closed meanwhile cannot be saved: that would be an exception.
  for (let tries = 0; tries < maxTries; tries += 1) {
    if (tries > 0) await delay(firstPauseMs * 2 ** (tries - 1));
    if (document.isClosed || (await document.save())) return;
  }
}
