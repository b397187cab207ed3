import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  keepServersIfBroken,
  mergeConfigurations,
  parseFile,
  type ParsedConfiguration,
} from '../../src/host/configuration/configuration';
import {
  copilotFile,
  expectedFormat,
  serversKey,
  workspaceFiles,
} from '../../src/host/configuration/configurationFormats';
import { readConfiguration } from '../../src/host/configuration/readConfiguration';
import type { ConfigSource, ServerConfig } from '../../src/host/configuration/serverConfig';
import { ServerTrust, type TrustState } from '../../src/host/consent/trust/serverTrust';
import { told } from './configurationCases';
import { rejectsWith, SteeredServers } from './steeredServers';

type Place = Extract<ConfigSource, { readonly path: string }>;

/** A window on a folder, whose servers are those of the files as they are now. */
class Scene {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'places-'));
  readonly servers = new SteeredServers();
  readonly trust = new ServerTrust({
    folder: path.join(this.folder, 'trust'),
    onProblem: () => {},
  });
  readonly asked: string[] = [];
  says: (state: TrustState) => boolean = () => true;
  /** In the order of precedence. */
  readonly places: readonly Place[] = [
    ...workspaceFiles(path.join(this.folder, 'app')),
    { kind: 'userFile', path: path.join(this.folder, 'User', 'mcp.json') },
    { kind: 'userFile', path: copilotFile(this.folder) },
  ];
  readonly #before = new Map<Place, ParsedConfiguration>();

  constructor() {
    mkdirSync(path.join(this.folder, 'app'));
    this.servers.approve = async (config) => {
      const state = await this.trust.stateOf(config);
      if (state.kind === 'trusted') return true;
      this.asked.push(state.kind);
      const isYes = this.says(state);
      if (isYes) await this.trust.trust(config);
      return isYes;
    };
  }

  named(name: string): Place {
    return this.places.find((place) => place.path.endsWith(path.normalize(name))) ?? assert.fail();
  }

  /** The text of a file with one server of this name. */
  text(place: Place, id: string, more: object = {}): string {
    const { transport } = this.servers.config(id);
    assert.ok(transport.kind === 'stdio');
    const { command, args, env } = transport;
    const key = serversKey(expectedFormat(place) ?? 'vscode');
    return JSON.stringify({ [key]: { [id]: { command, args, env, ...more } } });
  }

  async write({ path: file }: Place, text: string): Promise<void> {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    await this.read();
  }

  /** Reads every file, as the window does after a change, and returns the codes of problems. */
  async read(): Promise<string[]> {
    const folder = { name: 'app', path: path.join(this.folder, 'app') };
    const parsed = this.places.map(async (place) => {
      const context = {
        workspaceFolders: [folder],
        folder,
        userHome: this.folder,
        env: {},
        readFile: () => assert.fail(),
      };
      const now = parseFile(await readConfiguration(place.path), place, context);
      const kept = keepServersIfBroken(now, this.#before.get(place));
      this.#before.set(place, kept);
      return kept;
    });
    const { servers, problems } = mergeConfigurations(await Promise.all(parsed));
    this.servers.registry.setConfiguration(servers, problems);
    return told(problems);
  }

  config(id: string): ServerConfig {
    return this.servers.registry.find(id)?.config ?? assert.fail();
  }

  async end(): Promise<void> {
    await this.servers.end();
    this.trust.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describe('Places that other programs read, too', () => {
  let scene: Scene;
  beforeEach(() => (scene = new Scene()));
  afterEach(() => scene.end());

  for (const name of ['.mcp.json', '.github/mcp.json', '.copilot/mcp-config.json']) {
    it(`start a server only after trust, and ask again after each change: ${name}`, async () => {
      const place = scene.named(name);
      const { registry } = scene.servers;
      const listed = { tools: ['echo'] };
      await scene.write(place, scene.text(place, 'a', listed));
      assert.deepEqual(scene.config('a').source, place);

      scene.servers.isTrusted = false;
      await rejectsWith(registry.start('a'), 'untrustedWorkspace');
      scene.servers.isTrusted = true;
      scene.says = () => false;
      await rejectsWith(registry.start('a'), 'notApproved');
      assert.deepEqual([scene.asked, scene.servers.received('a')], [['first'], []]);

      scene.says = () => true;
      await registry.start('a');
      await registry.restart('a');
      assert.deepEqual(scene.asked, ['first', 'first']);

      const { transport } = scene.servers.config('a');
      assert.ok(transport.kind === 'stdio');
      const changes: readonly object[] = [
        { ...listed, args: [...transport.args, '--more'] },
        { ...listed, env: { ...transport.env, MORE: '1' } },
        { tools: ['echo', 'steer'] },
        { tools: ['*'] },
      ];
      for (const change of changes) {
        const before = scene.asked.length;
        await scene.write(place, scene.text(place, 'a', change));
        assert.equal(registry.find('a')?.state.kind, 'stopped');
        await registry.start('a');
        assert.deepEqual(scene.asked.slice(before), ['changed'], JSON.stringify(change));
      }
      const before = scene.asked.length;
      await scene.write(place, scene.text(place, 'a', { title: 'x', tools: ['*'] }));
      await registry.start('a');
      assert.equal(scene.asked.length, before);
    });

    it(`keep running servers while the file is written, too large, or a link that breaks: ${name}`, async () => {
      const place = scene.named(name);
      const { registry } = scene.servers;
      const text = scene.text(place, 'a');
      await scene.write(place, text);
      await registry.start('a');
      for (let length = 1; length < text.length; length += 7) {
        await scene.write(place, text.slice(0, length));
        assert.equal(registry.find('a')?.state.kind, 'running', text.slice(0, length));
      }
      writeFileSync(place.path, `${text}${' '.repeat(8 * 1024 * 1024)}`);
      assert.deepEqual(await scene.read(), ['tooLarge  !']);
      rmSync(place.path);
      symlinkSync(path.basename(place.path), place.path);
      assert.deepEqual(await scene.read(), ['linkLoop  !']);
      assert.equal(registry.find('a')?.state.kind, 'running');

      // A link to a file elsewhere counts as this place, and trust belongs to the place.
      rmSync(place.path);
      const real = path.join(scene.folder, 'real.json');
      writeFileSync(real, text);
      symlinkSync(real, place.path);
      assert.deepEqual(await scene.read(), []);
      assert.equal(registry.find('a')?.state.kind, 'running');
      await registry.restart('a');
      assert.deepEqual(scene.asked, ['first']);

      rmSync(place.path);
      await scene.read();
      assert.equal(registry.find('a'), undefined);
    });
  }

  it('configure a server in five places: the first counts, and each is asked about itself', async () => {
    const { registry } = scene.servers;
    const { places } = scene;
    for (const place of places) await scene.write(place, scene.text(place, 'a'));
    const problems = await scene.read();
    const shadowed = (key: string) => `shadowed ${key}/a`;
    assert.deepEqual(problems, [
      shadowed('mcpServers'),
      shadowed('mcpServers'),
      shadowed('servers'),
      shadowed('mcpServers'),
    ]);
    for (const [index, place] of places.entries()) {
      assert.deepEqual(scene.config('a').source, place);
      assert.equal(registry.find('a')?.configProblems.length, places.length - 1 - index);
      await registry.restart('a');
      assert.deepEqual(
        scene.asked,
        places.slice(0, index + 1).map(() => 'first'),
      );
      rmSync(place.path);
      await scene.read();
      // An entry that would start the same program keeps the run; its own start asks.
      const next = places[index + 1] === undefined ? undefined : 'running';
      assert.equal(registry.find('a')?.state.kind, next);
    }
    assert.deepEqual(registry.servers, []);
  });
});
