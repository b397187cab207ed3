import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { contextKeys } from '../../src/ids';
import { ContextKeys } from '../../src/ui/tree/contextKeys';
import { noFilter, type ToolFilter } from '../../src/ui/picking/toolFilter';
import { pickToolFilter } from '../../src/ui/tree/filterCommands';
import { ToolFilterState } from '../../src/ui/tree/toolFilterState';
import { serverOf, Snapshots } from '../host/treeFixtures';
import { accept, close, pressingKey } from './pressingKeys';

const noStorage = { get: () => undefined, update: () => Promise.resolve() };
const totals = () => ({ shown: 1, all: 2 });
const kept: ToolFilter = { text: 'kept', levels: new Set(['readOnly']), closedWorldOnly: true };

describe('The filter picker', () => {
  let state: ToolFilterState;
  beforeEach(() => {
    state = new ToolFilterState(noStorage);
  });
  afterEach(() => state.dispose());

  it('keeps the filter that it was opened with when it is accepted unchanged', async () => {
    await state.set(kept);
    await pressingKey(accept, pickToolFilter(state, totals));
    assert.deepEqual(state.current, kept);
  });

  it('restores the previous filter when it is closed', async () => {
    await state.set(kept);
    // The picker asks for the counts at first and again when the window has shown what is checked.
    let asked = 0;
    let picked: Promise<void> | undefined;
    await new Promise<void>((resolve) => {
      picked = pickToolFilter(state, () => {
        if (++asked === 2) resolve();
        return totals();
      });
    });
    state.preview({ ...noFilter, text: 'typed' });
    await pressingKey(close, picked ?? assert.fail());
    assert.deepEqual(state.current, kept);
  });
});

describe('The context keys', () => {
  it('are set once at the start and then only when one changes', async () => {
    const listeners: (() => void)[] = [];
    const source = Object.assign(new Snapshots([]), {
      onDidChange: (listener: (change: { kind: 'servers' }) => void) => {
        listeners.push(() => listener({ kind: 'servers' }));
        return { dispose: () => undefined };
      },
    });
    const state = new ToolFilterState(noStorage);
    const written: [string, boolean][] = [];
    const keys = new ContextKeys(source, state, (key, value) => written.push([key, value]));
    assert.deepEqual(written.splice(0), [
      [contextKeys.hasServers, false],
      [contextKeys.isFiltered, false],
      [contextKeys.isRestricted, !vscode.workspace.isTrusted],
      [contextKeys.canStart, false],
      [contextKeys.hasLookedAtTool, false],
      [contextKeys.hasCalled, false],
    ]);
    for (const notify of listeners) notify();
    assert.deepEqual(written.splice(0), []);
    source.servers = [serverOf('s', [])];
    for (const notify of listeners) notify();
    for (const notify of listeners) notify();
    assert.deepEqual(written.splice(0), [[contextKeys.hasServers, true]]);
    await state.set(kept);
    await state.clear();
    assert.deepEqual(written, [
      [contextKeys.isFiltered, true],
      [contextKeys.isFiltered, false],
    ]);
    keys.dispose();
    state.dispose();
  });
});
