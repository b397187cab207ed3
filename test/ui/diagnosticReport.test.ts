import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { processUsage } from '../../src/core/stdio/processFacts';
import type { ServerState } from '../../src/host/connections/snapshot';
import { commands, settings } from '../../src/ids';
import { serverRow } from '../../src/ui/tree/serverRow';
import { treeModelOf } from '../host/treeModels';
import { serverOf, Snapshots, toolOf } from '../host/treeFixtures';
import { set, useWindow } from './realWindow';

const secret = 'sk-live-hunter22';

/** In the real extension, with real processes. */
describe('Copy Diagnostic Report', () => {
  const { extension } = useWindow({ hasAnswers: false });
  afterEach(async () => {
    await set(settings.startServers, undefined);
    await extension.clear();
  });

  it('copies versions, changed settings and servers, without secrets', async () => {
    const place = JSON.stringify(`no access to ${homedir()}/notes with `);
    const source = `console.error(${place} + process.env.API_KEY); process.exit(3)`;
    await extension.configure({
      good: extension.demoEntry(),
      failing: {
        command: process.execPath,
        args: ['-e', source],
        env: { ELECTRON_RUN_AS_NODE: '1', API_KEY: secret },
      },
    });
    await extension.api.start('good');
    await assert.rejects(extension.api.start('failing'));
    const { error = '' } = extension.server('failing') ?? {};
    assert.match(error, /with exit code 3\. .* with \(secret\)”$/);
    await set(settings.startServers, 'never');
    await vscode.commands.executeCommand(commands.copyReport);
    const report = await vscode.env.clipboard.readText();
    assert.ok(!report.includes(secret) && !report.includes(homedir()), report);
    for (const expected of [
      /^# Toolgate diagnostic report\n\n- Toolgate \d+\.\d+\.\d+/,
      /^- toolgate\.connections\.autoStart: "never"$/m,
      /^## Servers \(2\)$/m,
      /^### good\n\n(?:- .*\n)*- State: running\n- Protocol 20\d\d-\d\d-\d\d, \d+ tools$/m,
      /^- stdio: .*, 2 arguments, variables: ELECTRON_RUN_AS_NODE, API_KEY$/m,
      /^- State: failed, exitedEarly: /m,
      /^ {4}\[stderr\] no access to ~\/notes with \(secret\)$/m,
    ]) {
      assert.match(report, expected);
    }
  });
});

describe('The tooltip of a running server', () => {
  it('shows its process, its memory and its uptime', async () => {
    const state: ServerState = {
      kind: 'running',
      revision: '2025-11-25',
      serverInfo: { name: 'fixture', version: '1' },
      pid: process.pid,
      startedAt: 0,
    };
    const model = treeModelOf(new Snapshots([serverOf('a', [toolOf('b')], { state })]));
    const [row] = model.roots();
    assert.ok(row?.kind === 'server');
    const usage = await processUsage(process.pid);
    assert.ok(usage);
    // Punctuation stands there in a form that Markdown does not read.
    const textOf = (tooltip = serverRow.tooltip?.(row, model, usage)): string =>
      (tooltip?.value ?? '').replaceAll(/&#(\d+);/g, (_, code) =>
        String.fromCodePoint(Number(code)),
      );
    const memory = String.raw`[\d.,]+ [KMG]i?B of memory, running for (?:\d+ h )?\d+ (?:s|min)`;
    assert.match(
      textOf(),
      new RegExp(`Process ${process.pid}(?: \\(child processes: \\d+\\))?: ${memory}`),
    );
    assert.match(textOf(serverRow.tooltip?.(row, model)), new RegExp(`Process: ${process.pid}`));
  });
});
