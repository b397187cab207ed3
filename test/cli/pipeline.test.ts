import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseXml } from './junitForm';
import { projectRoot, servers } from './program';

const manual = readFileSync(path.join(projectRoot, 'docs/continuous-integration.md'), 'utf8');

/** The commands of the example pipeline, as they stand there. */
const commands = [...manual.matchAll(/^ +- run: (.+)$/gm)].map(([, command = '']) => command);

// The shell of the pipeline is that of Linux.
if (process.platform !== 'win32') {
  describe('The example pipeline of the manual', () => {
    let root = '';
    /** As the demo workspace stands in this repository, from where it finds its servers. */
    let folder = '';

    before(() => {
      root = realpathSync(mkdtempSync(path.join(tmpdir(), 'pipeline-')));
      folder = path.join(root, 'test', 'demoWorkspace');
      cpSync(path.join(projectRoot, 'test/demoWorkspace'), folder, { recursive: true });
      for (const name of ['dist', 'node_modules']) {
        symlinkSync(path.join(projectRoot, name), path.join(root, name));
      }
      writeFileSync(path.join(folder, 'rules.json'), JSON.stringify([{ effect: 'allow' }]));
      installPacked();
    });
    after(() => rmSync(root, { recursive: true, force: true }));

    /** The package has no dependencies, so that nothing is asked of the registry. */
    function installPacked(): void {
      execFileSync(process.execPath, ['.ci/commandLinePackage.js'], { cwd: projectRoot });
      const packing = ['pack', './dist/commandLine', '--silent', '--pack-destination', root];
      execFileSync('npm', packing, { cwd: projectRoot });
      const [packed = ''] = readdirSync(root).filter((name) => name.endsWith('.tgz'));
      assert.ok(statSync(path.join(root, packed)).size < 1_200_000);
      writeFileSync(path.join(folder, 'package.json'), '{}');
      const installing = ['install', '--offline', '--no-audit', '--no-fund', '--silent'];
      execFileSync('npm', [...installing, path.join(root, packed)], { cwd: folder });
    }

    it('can be one executable, which needs no Node', () => {
      execFileSync('npm', ['run', '--silent', 'package:binary'], {
        cwd: projectRoot,
        stdio: 'pipe',
      });
      const alone = path.join(root, 'alone');
      mkdirSync(alone);
      const binary = path.join(projectRoot, 'dist/toolgate');
      const run = (...parameters: readonly string[]) => {
        const { status, stdout, stderr } = spawnSync(binary, parameters, {
          cwd: alone,
          env: { PATH: path.join(root, 'no-programs'), HOME: root },
          encoding: 'utf8',
        });
        assert.equal(status, 0, stderr);
        return stdout;
      };
      const { version } = JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8'));
      assert.equal(run('--version'), `${version}\n`);
      const recording = path.join(root, 'demo.mcprecord');
      const call = ['call', 'demo', 'list_notes', '--max-risk', 'readOnly', '--text'];
      const notes = run(...call, '--record', recording);
      assert.match(notes, /welcome/);
      // The recorded server is the executable, too.
      assert.equal(run(...call, '--replay', recording), notes);
      const { command, args } = servers.everything;
      const [server, sum] = [`"${command}" "${args.join('" "')}"`, ['get-sum', 'a=1', 'b=2']];
      const own = ['--command', server, '--max-risk', 'readOnly', '--text'];
      assert.match(run('call', ...sum, ...own), /is 3\./);
      const script = path.join(alone, 'demo.mjs');
      writeFileSync(script, run('generate', 'demo'));
      const given = [script, 'list_notes', '--', '--max-risk', 'readOnly', '--text'];
      assert.equal(execFileSync(process.execPath, given, { cwd: alone, encoding: 'utf8' }), notes);
    });

    it('installs a package of its own, without dependencies', () => {
      const modules = path.join(folder, 'node_modules');
      const names = readdirSync(modules).filter((name) => !name.startsWith('.'));
      assert.deepEqual(names, ['toolgate']);
      const files = readdirSync(path.join(modules, 'toolgate'), { recursive: true }).map(String);
      assert.deepEqual(files.toSorted(), [
        'LICENSE',
        'README.md',
        'dist',
        path.normalize('dist/demoServer.js'),
        path.normalize('dist/mcpServer.js'),
        path.normalize('dist/toolgate.js'),
        'package.json',
      ]);
      const readme = readFileSync(path.join(modules, 'toolgate/README.md'), 'utf8');
      assert.match(readme, /^# The command line\n/);
      assert.doesNotMatch(readme, /\]\((?!https:|#)/);
    });

    it('runs as written, and produces a report and a journal', () => {
      const [install, fetch = '', checkout, test = '', ...more] = commands;
      assert.deepEqual([install, more], ['npm ci', []]);
      // Everything but the call files is of the base branch.
      assert.match(manual, /\bref: \$\{\{ github\.base_ref \}\}/);
      assert.match(manual, /^on: pull_request$/m);
      assert.match(fetch, /^git fetch .*refs\/pull\//);
      assert.equal(checkout, 'git checkout FETCH_HEAD -- calls');
      assert.match(
        test,
        /^npx toolgate test calls .* --output junit="\$RUNNER_TEMP\/report\.xml" /,
      );
      const [RUNNER_TEMP, calls] = [path.join(root, 'temp'), path.join(folder, 'calls')];
      for (const each of [RUNNER_TEMP, calls]) mkdirSync(each);
      for (const name of readdirSync(folder)) {
        const isCalls = /\.mcpcall$|\.expected\.json$|\.schema\.json$/.test(name);
        if (isCalls) renameSync(path.join(folder, name), path.join(calls, name));
      }
      const inputs = { TOOLGATE_INPUT_token: 't', TOOLGATE_INPUT_name: 'Rose' };
      const env = { ...process.env, ...inputs, RUNNER_TEMP };
      // Throws with any other exit code than 0.
      // One call of the demo workspace takes the answer of another server.
      const command = test.replace(' --reporter spec ', ' --pass-answers --reporter spec ');
      execFileSync('bash', ['-e', '-c', command], { cwd: folder, env });
      const report = parseXml(readFileSync(path.join(RUNNER_TEMP, 'report.xml'), 'utf8'));
      assert.equal(report.name, 'testsuites');
      assert.equal(report.attributes['failures'], '0');
      assert.ok(Number(report.attributes['tests']) > 5, JSON.stringify(report.attributes));
      assert.ok(readdirSync(path.join(RUNNER_TEMP, 'journal')).length > 0);
    });
  });
}
