import { setTimeout as delay } from 'node:timers/promises';
import type * as vscode from 'vscode';

/** Before each further attempt the pause is doubled, about 5 s in total. */
const firstPauseMs = 10;
const maxTries = 10;
const savings = new WeakMap<vscode.TextDocument, Promise<void>>();

/**
 * Saves the document until it has no changes. It does not rely on `isDirty`, which is false after
 * every save, even if the user kept typing during it. Saves run one after the other, because VS
 * Code abandons both of two that overlap. It tries several times, because VS Code also saves
 * automatically and a formatter may take its time.
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
  // Saving a closed document would throw.
  for (let tries = 0; tries < maxTries; tries += 1) {
    if (tries > 0) await delay(firstPauseMs * 2 ** (tries - 1));
    if (document.isClosed || (await document.save())) return;
  }
}
