import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { JsonObject } from '../../src/core/json/jsonValue';
import { argumentsScheme, commands } from '../../src/ids';
import { SendToTool } from '../../src/ui/calls/sendToTool';
import { ResultDrags } from '../../src/ui/activity/callsView';
import type { ActivityRow } from '../../src/ui/activity/callRows';
import type { DroppedFiles } from '../../src/ui/calls/sendToTool';
import { FileDrops } from '../../src/ui/tree/serverTreeView';
import type { Row } from '../../src/ui/tree/treeRows';
import { entryOf, Snapshots, toolOf } from '../host/treeFixtures';
import type { Script } from '../servers/scripted';
import { accept, inputsDuring, labelsOf, pressingKey } from './pressingKeys';
import { WindowAnswers } from './windowAnswers';
import { run, useWindow } from './realWindow';

const script: Script = (server) => {
  const text = { type: 'string' };
  const tool = (name: string, properties: object) => ({
    name,
    inputSchema: { type: 'object', properties, required: Object.keys(properties) },
  });
  server.tools = [
    tool('summarise', { prompt: text }),
    tool('inspect', { path: text }),
    tool('count', { amount: { type: 'integer' } }),
  ];
};

describe('Send to MCP Tool…', () => {
  let answers: WindowAnswers;

  before(() => {
    answers = new WindowAnswers().begin();
  });
  beforeEach(() => {
    answers.told.length = 0;
  });
  after(() => answers.dispose());

  describe('in the real extension', () => {
    const { dialogs } = useWindow({
      hasAnswers: false,
      servers: (real) => ({ words: real.scriptedEntry(script) }),
    });

    async function select(lines: number): Promise<void> {
      const content = 'Water the roses.\nCut the grass.\n';
      const document = await vscode.workspace.openTextDocument({ content });
      const end = document.lineAt(lines - 1).range.end;
      const selection = new vscode.Range(new vscode.Position(0, 0), end);
      await vscode.window.showTextDocument(document, { preview: false, selection });
    }

    it('offers only tools that accept a text or a file, with the selection filled in', async () => {
      await select(1);
      const [tools] = await inputsDuring(() => pressingKey(accept, asPromise(commands.sendToTool)));
      assert.deepEqual(labelsOf(tools), ['summarise', 'inspect']);
      const [given = ''] = dialogs.seen.at(-1)?.detail.split('\n\n') ?? [];
      assert.deepEqual(JSON.parse(given), { prompt: 'Water the roses.' });
    });

    it('opens a document for several lines', async () => {
      await select(2);
      await pressingKey(accept, asPromise(commands.sendToTool));
      const { document } = vscode.window.activeTextEditor ?? assert.fail();
      assert.equal(document.uri.scheme, argumentsScheme);
      assert.deepEqual(JSON.parse(document.getText()), {
        prompt: 'Water the roses.\nCut the grass.',
      });
    });

    it('sends no file if several are selected, and says so', async () => {
      const files = ['a.txt', 'b.txt'].map((name) => vscode.Uri.file(`/garden/${name}`));
      await run(commands.sendToTool, files[0], files);
      assert.deepEqual(answers.told, ['A tool accepts one file at a time.']);
    });

    const asPromise = async (command: string): Promise<void> => void (await run(command));
  });

  it('accepts one file that is dropped onto a tool, if the tool accepts files', async () => {
    const text = { type: 'string' };
    const properties: Record<string, JsonObject> = {
      inspect: { path: text },
      fetch: { url: { ...text, format: 'uri' } },
      count: { amount: { type: 'integer' } },
    };
    const sent: unknown[] = [];
    const send = new SendToTool({
      registry: new Snapshots([]),
      actions: { start: () => Promise.resolve(false), startAll: () => Promise.resolve() },
      findTool: (serverId, name) =>
        Promise.resolve(
          entryOf(serverId, toolOf(name, { inputSchema: { properties: properties[name] ?? {} } })),
        ),
      call: (_, known, origin) => Promise.resolve(void sent.push(known, origin)),
    });
    const drop = async (toolName: string, ...lines: readonly string[]): Promise<void> => {
      const transfer = new vscode.DataTransfer();
      transfer.set('text/uri-list', new vscode.DataTransferItem(lines.join('\r\n')));
      let dropped: DroppedFiles | undefined;
      const drops = new FileDrops((files) => Promise.resolve(void (dropped = files)));
      await drops.handleDrop({ kind: 'tool', serverId: 's', toolName } as Row, transfer);
      await send.drop(dropped ?? assert.fail());
    };
    const uri = 'file:///garden/a%20note.txt';
    await drop('inspect', '# a comment', uri, '');
    await drop('fetch', uri);
    assert.deepEqual(sent, [{ path: '/garden/a note.txt' }, 'palette', { url: uri }, 'palette']);
    await drop('count', uri);
    await drop('inspect', uri, uri);
    assert.equal(sent.length, 4);
    assert.deepEqual(answers.told, [
      '“count” accepts neither text nor a file.',
      'A tool accepts one file at a time.',
    ]);
  });

  it('accepts the rows of past calls, as far as their answers are kept', () => {
    const kept = vscode.Uri.parse('toolgate:/words/1/inspect.mcptxt');
    const drags = new ResultDrags({ uriOf: (callId) => (callId === '1' ? kept : undefined) });
    const transfer = new vscode.DataTransfer();
    const rows = [{ callId: '1' }, { callId: '2' }, { kind: 'day' }] as unknown as ActivityRow[];
    drags.handleDrag(rows, transfer);
    assert.equal(transfer.get('text/uri-list')?.value, kept.toString());
  });
});
