import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseOptions } from '../../src/cli/cliOptions';
import { commandNames, commandTable, type CommandEntry } from '../../src/cli/options/commandTable';
import { optionNames } from '../../src/cli/options/help';
import { optionTable, type OptionEntry } from '../../src/cli/options/optionTable';
import { workspaceFiles } from '../../src/host/configuration/configurationFormats';
import { runCommand, runProgram, useWorkspaces } from './program';

describe('Options of the command line', () => {
  const workspace = useWorkspaces();
  const run = (...parameters: readonly string[]) => runCommand(workspace({}), parameters);

  it('are in the help of each command that has them, with examples that parse', async () => {
    for (const name of commandNames) {
      const { options, examples }: CommandEntry = commandTable[name];
      const { stdout, code } = await run('help', name);
      assert.equal(code, 0);
      assert.equal((await run(name, '--help')).stdout, stdout);
      const shown = [...stdout.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(
        ([, option]) => option,
      );
      const expected = optionNames().filter((each) => options.includes(each) || each === 'help');
      assert.deepEqual(shown, expected, name);
      assert.ok(examples.length > 0, name);
      for (const example of examples) {
        assert.match(stdout, /^ {2}toolgate /m);
        const words = [...example.matchAll(/'([^']*)'|"([^"]*)"|[^\s>]+/g)];
        const parsed = parseOptions(words.map(([whole, one, other]) => one ?? other ?? whole));
        assert.equal(parsed.command, name);
      }
    }
    for (const line of (await run('--help')).stdout.split('\n')) {
      assert.ok(line.length <= 115, line);
    }
  });

  it('name the files that servers come from by default', () => {
    const { help } = optionTable['server-config'];
    const folder = path.resolve('garden');
    for (const file of workspaceFiles(folder)) {
      const named = path.relative(folder, file.path).replaceAll(path.sep, '/');
      assert.ok(help.includes(` ${named}`), named);
    }
  });

  it('each have a command', () => {
    const used = new Set(
      commandNames.flatMap((name): readonly string[] => commandTable[name].options),
    );
    const unused = optionNames().filter((name) => !used.has(name));
    assert.deepEqual(unused, ['help', 'version']);
  });

  it('are refused if they have no effect, with a suggestion', async () => {
    const said = async (...parameters: readonly string[]) => {
      const { code, stderr, stdout } = await run(...parameters);
      assert.deepEqual([code, stdout], [2, ''], parameters.join(' '));
      return stderr;
    };
    assert.match(await said('list', '--strict'), /^toolgate: list has no option --strict\./);
    assert.match(
      await said('test', '--max-rsk', 'readOnly'),
      /^toolgate: There is no option --max-rsk\. Did you mean "--max-risk"\?/,
    );
    assert.match(await said('tset'), /There is no command "tset"\. Did you mean "test"\?/);
    assert.match(await said('help', 'dagnose'), /Did you mean "diagnose"\?/);
    assert.doesNotMatch(await said('test', '--zzz'), /Did you mean/);
    assert.match(await said('test', '--allow'), /argument missing\. See/);
    assert.match(await said('test', '--strict=1'), /does not take an argument\. See/);
    const dash = await said('tasks', 'docs', '--session', '-5');
    assert.match(dash, /is ambiguous\. Did you forget .*\? To specify .* '--session=-XYZ'\. See/);
    for (const name of ['--server-config', '--allow', '--record']) {
      const sentence = new RegExp(`^toolgate: ${name} requires the name of a file\\. See`);
      assert.match(await said('call', 'docs', 'search', name, ''), sentence);
    }
    assert.match(await said('read', 'docs', 'a:b', '--save='), /--save requires .* a folder\. See/);
    assert.match(await said('x'.repeat(100_000)), /^toolgate: There is no command "x+/);
    for (const wrong of [[], ['powershell'], ['bash', 'zsh']]) {
      assert.match(await said('completion', ...wrong), /bash, zsh or fish/);
    }
  });

  it('are completed by each shell, all of them', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { stdout, code } = await run('completion', shell);
      assert.equal(code, 0);
      for (const name of [...commandNames, ...optionNames()]) {
        assert.match(stdout, new RegExp(`\\b${name}\\b`), `${shell}: ${name}`);
      }
    }
  });

  if (process.platform !== 'win32') {
    it('are completed by a real bash: commands, options of the command, and their values', async () => {
      const folder = workspace({ 'calls.json': '{}' });
      const { stdout } = await runProgram(folder, ['completion', 'bash']);
      const script = path.join(folder, 'completion.bash');
      writeFileSync(script, stdout);
      const complete = (...words: readonly string[]): readonly string[] => {
        const typed = words.map((word) => `'${word}'`).join(' ');
        const command = `. ${script}; COMP_WORDS=(toolgate ${typed}); COMP_CWORD=${words.length}; _toolgate; printf '%s\\n' "\${COMPREPLY[@]}"`;
        const said = execFileSync('bash', ['-e', '-c', `set +e; ${command}`], { cwd: folder });
        return said
          .toString()
          .split('\n')
          .filter((line) => line !== '');
      };
      assert.deepEqual(complete('dia'), ['diagnose']);
      assert.deepEqual(complete('test', '--env'), ['--env', '--environments']);
      assert.deepEqual(complete('test', '--reporter', 'ju'), ['junit']);
      assert.deepEqual(complete('test', 'calls'), ['calls.json']);
      assert.deepEqual(complete('list', '--allow', 'c'), ['calls.json', 'completion.bash']);
      assert.deepEqual(complete('journal', 'v'), ['verify']);
      const { options }: CommandEntry = commandTable.call;
      const flags = [...options, 'help'].map((name) => `--${name}`);
      assert.deepEqual(complete('call', '--').toSorted(), flags.toSorted());
    });
  }

  it('describe their value if they need one', () => {
    for (const name of optionNames()) {
      const { type, value }: OptionEntry = optionTable[name];
      assert.equal(type === 'string', value !== undefined, name);
    }
  });
});
