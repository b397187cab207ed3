import assert from 'node:assert/strict';
import * as vscode from 'vscode';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Does this when the test has ended, also if it failed; the last of several first. */
export function atEnd(end: () => unknown): void {
  ends.push(end);
}

/** Replaces members of an object of VS Code until the test has ended, or the result is called. */
export function replace<T extends object>(
  target: T,
  members: { readonly [Key in keyof T]?: unknown },
): () => void {
  const originals = Object.keys(members).map((key) => [key, Reflect.get(target, key)]);
  const end = () => void Object.assign(target, Object.fromEntries(originals.splice(0)));
  atEnd(end);
  Object.assign(target, members);
  return end;
}

/** The two documents of the diff editor in front. */
export function diffInFront(): vscode.TabInputTextDiff {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  assert.ok(input instanceof vscode.TabInputTextDiff);
  return input;
}

type Handler = (...given: unknown[]) => Promise<void>;

/** The commands that `register` registers, by their IDs. VS Code gets none of them. */
export function commandsOf(register: () => unknown): Map<string, Handler> {
  const handlers = new Map<string, Handler>();
  const end = replace(vscode.commands, {
    registerCommand: (id: string, act: Handler) => {
      handlers.set(id, act);
      return new vscode.Disposable(() => undefined);
    },
  });
  register();
  end();
  return handlers;
}
