import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseXml } from './junitForm';
import { projectRoot } from './program';

const manual = readFileSync(path.join(projectRoot, 'docs/command-line.md'), 'utf8');

/** The commands of the example pipeline, as they stand there. */
const commands = [...manual.matchAll(/^ +- run: (.+)$/gm)].map(([, command = '']) => command);

// The shell of the pipeline is that of Linux.
if (process.platform !== 'win32') {
  describe('The example pipeline of the manual', function () {
    this.timeout(120_000);
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

    /** What `npm ci` makes of the package, without asking the registry for what is bundled already. */
    function installPacked(): void {
      const options = ['pack', '--ignore-scripts', '--silent', '--pack-destination', root];
      execFileSync('npm', options, { cwd: projectRoot });
      const [packed = ''] = readdirSync(root).filter((name) => name.endsWith('.tgz'));
      const own = path.join(folder, 'node_modules');
      mkdirSync(path.join(own, '.bin'), { recursive: true });
      execFileSync('tar', ['-xzf', path.join(root, packed), '-C', own]);
      const { bin } = JSON.parse(readFileSync(path.join(own, 'package/package.json'), 'utf8'));
      symlinkSync(path.join(own, 'package', bin.toolgate), path.join(own, '.bin', 'toolgate'));
      execFileSync('chmod', ['+x', path.join(own, 'package', bin.toolgate)]);
    }

    it('packs the command line alone', () => {
      const own = path.join(folder, 'node_modules', 'package');
      assert.deepEqual(readdirSync(own).toSorted(), [
        'LICENSE',
        'README.md',
        'dist',
        'package.json',
      ]);
      const programs = readdirSync(path.join(own, 'dist')).map((name) => `dist/${name}`);
      assert.deepEqual(programs.toSorted(), ['dist/demoServer.js', 'dist/toolgate.js']);
    });

    it('runs as it is written, and leaves a report and a journal', () => {
      const [install, fetch = '', checkout, test = '', ...more] = commands;
      assert.deepEqual([install, more], ['npm ci', []]);
      // Everything but the call files is of the base branch.
      assert.match(manual, /\bref: \$\{\{ github\.base_ref \}\}/);
      assert.match(manual, /^on: pull_request$/m);
      assert.match(fetch, /^git fetch .*refs\/pull\//);
      assert.equal(checkout, 'git checkout FETCH_HEAD -- calls');
      assert.match(test, /^npx toolgate test calls .* > "\$RUNNER_TEMP\/report\.xml"$/);
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
      const command = test.replace(' --reporter ', ' --pass-answers --reporter ');
      execFileSync('bash', ['-e', '-c', command], { cwd: folder, env });
      const report = parseXml(readFileSync(path.join(RUNNER_TEMP, 'report.xml'), 'utf8'));
      assert.equal(report.name, 'testsuites');
      assert.equal(report.attributes['failures'], '0');
      assert.ok(Number(report.attributes['tests']) > 5, JSON.stringify(report.attributes));
      assert.ok(readdirSync(path.join(RUNNER_TEMP, 'journal')).length > 0);
    });
  });
}
