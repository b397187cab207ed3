import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { build } from 'esbuild';
import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { SchemaValidator } from '../src/core/schema/schema';

const root = path.resolve(__dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-demo-'));
const program = path.join(folder, 'demoServer.js');

/** Name of each tool and what it says about its risk: `r`ead-only, `d`estructive and so on. */
const tools = [
  'list_notes r+ o-',
  'read_note r+ o-',
  'look_up_weather r+ o+',
  'plant_note r- d- i- o-',
  'label_note r- d- i+ o-',
  'cut_note r- d+ i- o-',
  'delete_note r- d+ i+ o-',
  'turn_garden_around',
  'peek',
  'show_flower r+ o-',
  'play_chime r+ o-',
  'point_to_guide r+ o-',
  'hand_over_prices r+ o-',
  'hand_over_seeds r+ o-',
  'bring_everything r+ o-',
  'measure_garden r+ o-',
  'measure_badly r+ o-',
  'wait_for_sunset r+ o-',
  'dig_for_treasure r+ o-',
  'tell_long_story r+ o-',
  'plan_bed r+ o-',
];

const sign = (letter: string, value: boolean | undefined) =>
  value === undefined ? '' : ` ${letter}${value ? '+' : '-'}`;

async function connect(mode: 'legacy' | { pin: string }): Promise<Client> {
  const client = new Client({ name: 'demo-test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program] }));
  return client;
}

describe('The demo server', () => {
  let imports: string[];
  before(async () => {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: ['src/demo/server.ts'],
      outfile: program,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      metafile: true,
      logLevel: 'silent',
    });
    imports = Object.values(metafile.outputs).flatMap((o) => o.imports.map((i) => i.path));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('is one file that opens no file and no connection', () => {
    assert.ok(imports.length > 0);
    const builtIn = imports.map((name) => name.replace(/^node:/, ''));
    assert.deepEqual(
      builtIn.filter((name) => !builtinModules.includes(name)),
      [],
    );
    const reachesOut = /^(fs|net|tls|https?|http2|dgram|dns|child_process|worker_threads)\b/;
    assert.deepEqual(
      builtIn.filter((name) => reachesOut.test(name)),
      [],
    );
  });

  describe('on the wire', () => {
    let child: ChildProcessByStdio<Writable, Readable, null>;
    let lines: AsyncIterator<string>;
    const ask = async (id: number, method: string, params: object = {}): Promise<unknown> => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      const { value } = await lines.next();
      const message: { id: number; result?: unknown } = JSON.parse(value);
      assert.equal(message.id, id);
      return message.result;
    };

    before(async () => {
      child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
      lines = createInterface(child.stdout)[Symbol.asyncIterator]();
      const clientInfo = { name: 'demo-test', version: '1' };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
      await ask(0, 'initialize', params);
      child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    });

    it('declares nothing for turn_garden_around, and nothing valid for peek', async () => {
      const list = JSON.stringify(await ask(1, 'tools/list'));
      const { tools: listed }: { tools: { name: string; annotations?: object }[] } =
        JSON.parse(list);
      const annotations = (name: string) => listed.find((t) => t.name === name)?.annotations;
      assert.equal(annotations('turn_garden_around'), undefined);
      assert.deepEqual(annotations('peek'), { readOnly: true, destructive: false, safe: true });
    });

    it('exits at the end of its input, even while a tool runs', async () => {
      const slow = { name: 'wait_for_sunset', arguments: { seconds: 100 } };
      const message = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: slow };
      child.stdin.write(`${JSON.stringify(message)}\n`);
      await ask(3, 'ping');
      child.stdin.end();
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    });
  });

  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    describe(`connected ${mode === 'legacy' ? 'with a handshake' : `in ${mode.pin}`}`, () => {
      let client: Client;
      before(async () => {
        client = await connect(mode);
      });
      after(() => client.close());

      /** Without the client's own check of structured content. */
      const call = (name: string, given?: Record<string, unknown>) =>
        client.request({
          method: 'tools/call',
          params: { name, ...(given !== undefined && { arguments: given }) },
        });
      const text = async (name: string, given?: Record<string, unknown>): Promise<string> => {
        const { content, isError } = await call(name, given);
        const [first] = content;
        assert.ok(first?.type === 'text');
        return isError === true ? `error: ${first.text}` : first.text;
      };

      it('lists its tools with their annotations', async () => {
        const { tools: listed } = await client.listTools();
        assert.deepEqual(
          listed.map(
            ({ name, annotations: a }) =>
              name +
              sign('r', a?.readOnlyHint) +
              sign('d', a?.destructiveHint) +
              sign('i', a?.idempotentHint) +
              sign('o', a?.openWorldHint),
          ),
          tools,
        );
        assert.ok(
          listed.every((tool) => tool.title !== undefined && tool.description !== undefined),
        );
      });

      it('stores notes', async () => {
        const note = { name: 'pond', text: 'Dig a pond' };
        assert.equal(
          await text('plant_note', { ...note, color: 'blue', heightCm: 2.5, pinned: true }),
          'Planted "pond", blue, 2.5 cm.',
        );
        assert.equal(await text('plant_note', note), 'error: "pond" grows here already.');
        await text('label_note', { name: 'pond', label: 'wet' });
        assert.equal(
          await text('label_note', { name: 'pond', label: 'wet' }),
          '"pond" has the labels: wet.',
        );
        assert.equal(await text('cut_note', { name: 'pond' }), 'It now says: "Dig a"');
        assert.match(await text('read_note', { name: 'pond' }), /"text": "Dig a"/);
        assert.equal(await text('turn_garden_around'), 'pond, ideas, shopping, welcome');
        assert.equal(await text('delete_note', { name: 'pond' }), 'Deleted "pond".');
        assert.equal(
          await text('delete_note', { name: 'pond' }),
          'There was no note called "pond".',
        );
        assert.match(await text('list_notes', {}), /^- ideas/);
        assert.match(await text('peek'), /^3 notes/);
        assert.match(await text('look_up_weather', { place: 'Ulm' }), /^Ulm: sunny/);
      });

      it('validates arguments and returns errors', async () => {
        assert.match(await text('plant_note', { name: 'x' }), /^error: .*text/);
        assert.match(await text('read_note', { name: 'nowhere' }), /^error: There is no note/);
        assert.match(await text('no_such_tool'), /^error: There is no tool/);
      });

      it('answers with every kind of content', async () => {
        const { content } = await call('bring_everything');
        assert.deepEqual(
          content.map((part) => part.type),
          ['text', 'image', 'audio', 'resource_link', 'resource', 'resource'],
        );
        const kinds = ['show_flower', 'play_chime', 'point_to_guide', 'hand_over_prices'];
        const single = await Promise.all([...kinds, 'hand_over_seeds'].map((name) => call(name)));
        assert.deepEqual(
          single.flatMap((result) => result.content),
          content.slice(1),
        );
      });

      it('has an image and audio with correct types', async () => {
        const { content } = await call('bring_everything');
        const [, image, audio] = content;
        assert.ok(image?.type === 'image' && audio?.type === 'audio');
        const png = Buffer.from(image.data, 'base64');
        assert.equal(png.subarray(1, 4).toString(), 'PNG');
        assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [128, 128]);
        const wav = Buffer.from(audio.data, 'base64');
        assert.equal(
          wav.subarray(0, 4).toString() + wav.subarray(8, 16).toString(),
          'RIFFWAVEfmt ',
        );
        assert.equal(wav.readUInt32LE(4), wav.length - 8);
        assert.equal(wav.readUInt32LE(40), wav.length - 44);
      });

      it('has resources that can be read, including the linked one', async () => {
        const { resources } = await client.listResources();
        const sizes = await Promise.all(
          resources.map(async ({ uri, size }) => {
            const [contents] = (await client.readResource({ uri })).contents;
            assert.ok(contents !== undefined);
            const bytes =
              'text' in contents
                ? Buffer.from(contents.text)
                : Buffer.from(contents.blob, 'base64');
            assert.equal(bytes.length, size);
            return `${uri} ${'text' in contents ? 'text' : 'blob'}`;
          }),
        );
        assert.deepEqual(sizes, [
          'demo://garden/guide.md text',
          'demo://garden/prices.csv text',
          'demo://garden/empty.txt text',
          'demo://garden/seeds.bin blob',
        ]);
        const [link] = (await call('point_to_guide')).content;
        assert.ok(link?.type === 'resource_link');
        assert.ok(resources.some(({ uri }) => uri === link.uri));
        await assert.rejects(client.readResource({ uri: 'demo://garden/none' }));
      });

      it('has structured content that matches its schema, and one that does not', async () => {
        const validator = new SchemaValidator();
        const { tools: listed } = await client.listTools();
        const violations = async (name: string) => {
          const schema: unknown = listed.find((tool) => tool.name === name)?.outputSchema;
          assert.ok(typeof schema === 'object' && schema !== null);
          const { structuredContent } = await call(name);
          const validation = validator.validate(
            JSON.parse(JSON.stringify(schema)),
            structuredContent,
          );
          assert.ok(validation.kind !== 'unusable');
          return validation.kind === 'valid' ? [] : validation.violations.map((v) => v.pointer);
        };
        assert.deepEqual(await violations('measure_garden'), []);
        assert.deepEqual((await violations('measure_badly')).toSorted(), [
          '/areaM2',
          '/beds/0',
          '/mood',
        ]);
      });

      it('reports the progress of a slow tool', async () => {
        const seen: string[] = [];
        await client.callTool(
          { name: 'wait_for_sunset', arguments: { seconds: 0.1 } },
          { onprogress: ({ progress, total }) => seen.push(`${progress}/${total}`) },
        );
        // Those that come together with the answer are lost, because this client lets go of the call.
        const all = Array.from({ length: 10 }, (_, i) => `${i + 1}/10`);
        assert.ok(seen.length > 0);
        assert.deepEqual(seen, all.slice(0, seen.length));
      });

      it('stops a slow tool when it is cancelled', async () => {
        const cancel = new AbortController();
        const slow = client.callTool(
          { name: 'wait_for_sunset', arguments: { seconds: 100 } },
          { signal: cancel.signal, onprogress: () => undefined },
        );
        cancel.abort();
        await assert.rejects(slow);
        assert.match(await text('peek'), /^3 notes/);
      });

      it('returns errors', async () => {
        assert.equal(
          await text('dig_for_treasure', { depthM: 2 }),
          'error: Nothing but stones, 2 m down.',
        );
      });

      it('returns long answers', async () => {
        assert.equal((await text('tell_long_story', { kilobytes: 2_048 })).length, 2_048 * 1_024);
        assert.match(await text('tell_long_story', { kilobytes: 1e9 }), /^error: /);
      });

      it('accepts nested arguments', async () => {
        const plan = {
          bed: { name: 'South', size: { lengthM: 4, widthM: 1.5 } },
          plants: [{ kind: 'rose', count: 3, months: ['May'] }],
          notify: true,
        };
        assert.match(await text('plan_bed', plan), /^Understood:\n/);
        assert.match(await text('plan_bed', { ...plan, plants: [{ kind: 'oak' }] }), /^error: /);
      });
    });
  }
});
