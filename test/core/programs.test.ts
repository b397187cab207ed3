import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isMcpError, toMcpError } from '../../src/core/errors';
import { isProgramFile, windowsNames, windowsProgram } from '../../src/core/stdio/findProgram';
import { LoginShell } from '../../src/core/stdio/loginShell';
import { Programs, programFolders } from '../../src/core/stdio/programs';
import { until } from '../waiting';
import { untilGone } from './connections';
import { whileStopped } from './stoppedClock';

// Folders, files and shells are real; only the home and PATH are ours.
describe('Programs', () => {
  let home: string;
  let lines: string[];
  const log = { info: (line: string) => void lines.push(line) };

  before(function () {
    if (process.platform === 'win32') this.skip();
  });
  beforeEach(() => {
    home = realpathSync(mkdtempSync(path.join(tmpdir(), 'home of somebody-')));
    lines = [];
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** A program in a folder below the home; its path. */
  function program(file: string, text = '#!/bin/sh\nexit 0\n', mode = 0o755): string {
    const whole = path.join(home, file);
    mkdirSync(path.dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    chmodSync(whole, mode);
    return whole;
  }

  /** A shell of the person, which gets what it is to print as its last argument. */
  function shellThat(script: string): LoginShell {
    const shell = program('shells/sh', `#!/bin/sh\n${script}\n`);
    return new LoginShell({ environment: { PATH: '/usr/bin:/bin' }, shell, timeoutMs: 5_000 });
  }

  const query = (command: string, env: Record<string, string | null> = {}) => ({ command, env });
  const at = (...folders: readonly string[]) =>
    folders.map((each) => path.join(home, each)).join(':');

  it('are found on PATH, the first executable one, and never in the current folder', async () => {
    program('a/tool', 'data', 0o644);
    mkdirSync(path.join(home, 'b/tool'), { recursive: true });
    symlinkSync('tool', path.join(home, 'loop'));
    const file = program('c/tool');
    const programs = new Programs({ environment: { PATH: `.::${at('a', 'b', 'c')}` }, home });
    const found = await programs.find(query('tool'));
    assert.deepEqual([found.file, found.foundBy, found.folder], [file, 'path', at('c')]);
    assert.equal(found.env['PATH'], `.::${at('a', 'b', 'c')}`);
  });

  it('are searched on the configured PATH, as the system would', async () => {
    const file = program('own/tool');
    const programs = new Programs({ environment: { PATH: '/usr/bin' }, home });
    const found = await programs.find(query('tool', { PATH: at('own') }));
    assert.deepEqual([found.file, found.env['PATH']], [file, at('own')]);
  });

  it('with a path are resolved from the folder of the server only', async () => {
    const file = program('work/run.sh');
    const programs = new Programs({ environment: { PATH: at('work') }, home });
    const found = await programs.find({ command: './run.sh', env: {}, cwd: at('work') });
    assert.deepEqual([found.file, found.foundBy], [file, 'given']);
    const missing = await programs.find(query(at('no/run.sh'))).catch(toMcpError);
    assert.ok(isMcpError(missing, 'programNotFound'));
    assert.deepEqual(missing.facts.searched, [at('no')]);
  });

  it('that are not executable are distinguished from missing ones', async () => {
    const file = program('data.json', '{}', 0o644);
    const programs = new Programs({ environment: {}, home });
    const error = await programs.find(query(file)).catch(toMcpError);
    assert.ok(isMcpError(error, 'programNotExecutable'));
    assert.equal(error.facts.detail, file);
  });

  for (const place of [
    '.nvm/versions/node/v22.1.0/bin',
    '.local/share/fnm/aliases/default/bin',
    '.volta/bin',
    '.local/share/mise/shims',
    '.asdf/shims',
    '.pyenv/shims',
    '.local/bin',
    '.cargo/bin',
    '.bun/bin',
  ]) {
    it(`are found in ~/${place}, with the programs beside them`, async () => {
      const file = program(`${place}/odd-tool`);
      const programs = new Programs({ environment: { PATH: '/usr/bin' }, home });
      const found = await programs.find(query('odd-tool'));
      assert.deepEqual(
        [found.file, found.foundBy, found.env['PATH']],
        [file, 'folder', `${at(place)}:/usr/bin`],
      );
    });
  }

  it('of nvm have the version of a new shell, or else the newest', async () => {
    for (const version of ['v9.0.0', 'v20.2.0', 'v20.11.1', 'v22.1.0']) {
      mkdirSync(path.join(home, '.nvm/versions/node', version), { recursive: true });
    }
    const versions = async () =>
      (await programFolders({}, home))
        // The name of the home is made up anew in each run, and may look like a version.
        .flatMap((each) => /v\d[\d.]*/.exec(path.relative(home, each))?.[0] ?? []);
    assert.deepEqual(await versions(), ['v22.1.0', 'v20.11.1', 'v20.2.0', 'v9.0.0']);
    mkdirSync(path.join(home, '.nvm/alias'));
    writeFileSync(path.join(home, '.nvm/alias/default'), '20\n');
    assert.deepEqual(await versions(), ['v20.11.1', 'v20.2.0', 'v22.1.0', 'v9.0.0']);
  });

  it('with a path in the folder of a version manager find the programs beside them, as by name', async () => {
    const bin = '.nvm/versions/node/v22.1.0/bin';
    const file = program(`${bin}/toolgate-x`);
    const environment = { PATH: '/usr/bin' };
    const programs = new Programs({ environment, home });
    const byPath = await programs.find(query(file));
    const byName = await programs.find(query('toolgate-x'));
    assert.deepEqual([byPath.file, byPath.env], [byName.file, byName.env]);
    assert.equal(byPath.env['PATH'], `${at(bin)}:/usr/bin`);
    const there = new Programs({ environment: { PATH: `/usr/bin:${at(bin)}` }, home });
    assert.equal((await there.find(query(file))).env['PATH'], `/usr/bin:${at(bin)}`);
    const own = program('work/run.sh');
    assert.equal((await programs.find(query(own))).env['PATH'], '/usr/bin');
  });

  it('are not searched in the current folder, whatever variables of version managers say', async () => {
    const named = { NVM_DIR: '.', VOLTA_HOME: '', PNPM_HOME: 'relative', CARGO_HOME: '/cargo' };
    const folders = await programFolders(named, home);
    assert.deepEqual(
      folders.filter((each) => !path.isAbsolute(each)),
      [],
    );
    const onWindows = { NVM_SYMLINK: 'nodejs', APPDATA: '', ProgramFiles: String.raw`C:\Programs` };
    const windowsFolders = await programFolders(onWindows, String.raw`C:\home`, true);
    assert.ok(windowsFolders.length > 3);
    assert.deepEqual(
      windowsFolders.filter((each) => !path.win32.isAbsolute(each)),
      [],
    );
    assert.ok(folders.includes('/cargo/bin') && folders.includes(at('.volta/bin')));
  });

  it('that are missing are reported with every searched folder, once', async () => {
    const programs = new Programs({ environment: { PATH: '/usr/bin:/usr/local/bin' }, home });
    const error = await programs.find(query('odd-tool')).catch(toMcpError);
    assert.ok(isMcpError(error, 'programNotFound'));
    const searched = error.facts.searched ?? [];
    assert.deepEqual(searched.slice(0, 2), ['/usr/bin', '/usr/local/bin']);
    assert.ok(searched.includes(at('.volta/bin')));
    assert.equal(new Set(searched).size, searched.length);
  });

  it('are searched in the login shell once, only if PATH does not contain them', async () => {
    program('a/near');
    const far = program('b/far');
    const count = path.join(home, 'count');
    const loginShell = shellThat(
      `echo 1 >> '${count}'\necho "Welcome!"\nexport FROM=shell PATH="$PATH:${at('b')}" LANG=xx_YY\n` +
        'for last; do :; done\neval "$last"\necho bye',
    );
    const environment = { PATH: at('a'), SHLVL: '1', LANG: 'C' };
    const programs = new Programs({ environment, loginShell, home });
    const near = await programs.find(query('near'), log);
    assert.deepEqual([near.env['LANG'], lines], ['C', []]);
    const found = await programs.find(query('far', { SET: '1' }), log);
    assert.deepEqual(
      [found.file, found.foundBy, found.env['LANG'], found.env['SET'], found.env['FROM']],
      [far, 'loginShell', 'xx_YY', '1', undefined],
    );
    assert.match(lines[0] ?? '', /login shell .*shells\/sh, read in \d+ ms/);
    await programs.find(query('far'), log);
    assert.equal(readFileSync(count, 'utf8'), '1\n');
  });

  it('are searched in the login shell first if the environment did not come from a shell', async () => {
    program('a/tool');
    const other = program('b/tool');
    const loginShell = shellThat(
      `export PATH="${at('b')}:$PATH"\nfor last; do :; done\neval "$last"`,
    );
    const programs = new Programs({ environment: { PATH: at('a') }, loginShell, home });
    const found = await programs.find(query('tool'), log);
    assert.deepEqual([found.file, found.foundBy], [other, 'loginShell']);
  });

  it('are still searched if the login shell hangs, and no process of it is left', async () => {
    const pidFile = path.join(home, 'pid');
    const shell = program(
      'shells/sh',
      `#!/bin/sh\nsleep 600 &\necho $! > '${pidFile}'\nread answer < /dev/zero\nwait\n`,
    );
    const loginShell = new LoginShell({ environment: { PATH: '/usr/bin:/bin' }, shell });
    const file = program('.volta/bin/odd-tool');
    const environment = { PATH: '/usr/bin:/bin', SHLVL: '1' };
    const programs = new Programs({ environment, loginShell, home });
    let sleeping = 0;
    const found = await whileStopped(async (clock) => {
      const finding = programs.find(query('odd-tool'), log);
      await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'));
      sleeping = Number(readFileSync(pidFile, 'utf8'));
      clock.advance(10_000);
      return finding;
    });
    assert.equal(found.file, file);
    assert.match(lines[0] ?? '', /not read after \d+ ms: no answer in 10000 ms/);
    await untilGone(sleeping);
  });

  for (const [what, text] of [
    ['ends with an error', 'exit 3'],
    ['prints something else', 'echo _toolgate_environment_ no _toolgate_environment_'],
  ] as const) {
    it(`are found without a login shell that ${what}`, async () => {
      const answer = await shellThat(text).read();
      assert.equal(answer.kind, 'failed');
    });
  }

  it('are found by a shell that takes double quotes out of arguments, as PowerShell did', async () => {
    const shell = program(
      'shells/pwsh',
      '#!/bin/sh\nexport FROM=pwsh\nfor last; do :; done\neval "$(printf %s "${last#& }" | tr -d \\")"\n',
    );
    const environment = { PATH: '/usr/bin:/bin' };
    const answer = await new LoginShell({ environment, shell }).read();
    assert.equal(answer.kind === 'read' ? answer.environment['FROM'] : answer.reason, 'pwsh');
  });

  it('are found without a missing login shell', async () => {
    const shell = new LoginShell({ environment: {}, shell: at('no-shell') });
    assert.equal((await shell.read()).kind, 'failed');
  });

  it('get the environment of a shell that writes each command into the title of its terminal', async () => {
    const title = `trap 'printf "\\033]0;%s\\007" "$BASH_COMMAND"' DEBUG`;
    program('.bash_profile', `export FROM=profile\n${title}\n`);
    const environment = { PATH: '/usr/bin:/bin', HOME: home };
    const answer = await new LoginShell({ environment, shell: '/bin/bash' }).read();
    assert.equal(answer.kind === 'read' ? answer.environment['FROM'] : answer.reason, 'profile');
  });

  it('get the environment of the real shell of this machine', async () => {
    const environment = { PATH: '/usr/bin:/bin', HOME: home, ODD: 'two\nlines' };
    const answer = await new LoginShell({ environment, shell: '/bin/bash' }).read();
    assert.ok(answer.kind === 'read', JSON.stringify(answer));
    assert.equal(answer.environment['ODD'], 'two\nlines');
    assert.equal(answer.environment['ELECTRON_RUN_AS_NODE'], undefined);
  });
});

describe('A program of Windows', () => {
  const refused = () => Promise.reject(Object.assign(new Error(), { code: 'EACCES' }));
  const alias = { isFile: () => false, isDirectory: () => false };
  const directory = { isFile: () => false, isDirectory: () => true };
  const lstats = { alias: async () => alias, folder: async () => directory, nothing: refused };
  for (const [what, isWindows, isFound] of [
    ['alias', true, true],
    ['folder', true, false],
    ['nothing', true, false],
    ['alias', false, false],
  ] as const) {
    it(`from its store may be behind an alias, whose target has no facts: ${what}, ${isWindows}`, async () => {
      const files = { stat: refused, lstat: lstats[what], isWindows };
      const found = isProgramFile('python.exe', files).catch(() => false);
      assert.equal(await found, isFound);
    });
  }

  it('is never searched for in the current folder', () => {
    const powershell = 'WindowsPowerShell\\v1.0\\powershell.exe';
    for (const [SystemRoot, folder] of [
      ['D:\\Win', 'D:\\Win'],
      ['Win', 'C:\\Windows'],
      [undefined, 'C:\\Windows'],
    ] as const) {
      const found = windowsProgram(powershell, { SystemRoot });
      assert.equal(found, `${folder}\\System32\\${powershell}`);
    }
    const folder = path.resolve(__dirname, '../../src/core/stdio');
    const starts = readdirSync(folder).flatMap(
      (file) =>
        readFileSync(path.join(folder, file), 'utf8').match(/.*\b(?:taskkill|\w+\.exe)'/g) ?? [],
    );
    assert.ok(starts.length > 0);
    for (const line of starts) assert.match(line, /windowsProgram\('/);
  });
});

describe('A program without an ending, on Windows,', () => {
  it('is looked for with the endings of PATHEXT, also if one of them or all are empty', () => {
    for (const PATHEXT of ['.EXE;.CMD', '.EXE;.CMD;', ';.CMD', '', ';', undefined]) {
      const names = windowsNames('npx', { PATHEXT });
      assert.deepEqual([names.includes('npx'), names.includes('npx.cmd')], [false, true], PATHEXT);
    }
  });
});
