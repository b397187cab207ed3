import assert from 'node:assert/strict';
import { array, assert as assertProperty, asyncProperty, constantFrom, string } from 'fast-check';
import { isMcpError } from '../../src/core/errors';
import type { StdioProgram } from '../../src/core/stdio/findProgram';
import {
  type LauncherFiles,
  resolveLauncher,
  programsOfScript,
} from '../../src/core/stdio/windowsLauncher';
import { busiestCount } from '../workCount';
import { crossSpawnOnWindows, runByCmd } from './cmdModel';

const lines = (...each: readonly string[]): string => each.join('\r\n');

/** As npm writes it for packages with a command. */
const shim = (target: string, variables: readonly string[] = []): string =>
  lines(
    '@ECHO off',
    'GOTO start',
    ':find_dp0',
    'SET dp0=%~dp0',
    'EXIT /b',
    ':start',
    'SETLOCAL',
    'CALL :find_dp0',
    ...variables,
    '',
    'IF EXIST "%dp0%\\node.exe" (',
    '  SET "_prog=%dp0%\\node.exe"',
    ') ELSE (',
    '  SET "_prog=node"',
    '  SET PATHEXT=%PATHEXT:;.JS;=;%',
    ')',
    '',
    `endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "${target}" %*`,
    '',
  );

const npx = lines(
  ":: Created by npm, please don't edit manually.",
  '@ECHO OFF',
  '',
  'SETLOCAL',
  '',
  'SET "NODE_EXE=%~dp0\\node.exe"',
  'IF NOT EXIST "%NODE_EXE%" (',
  '  SET "NODE_EXE=node"',
  ')',
  '',
  'SET "NPM_PREFIX_JS=%~dp0\\node_modules\\npm\\bin\\npm-prefix.js"',
  'SET "NPX_CLI_JS=%~dp0\\node_modules\\npm\\bin\\npx-cli.js"',
  'FOR /F "delims=" %%F IN (\'CALL "%NODE_EXE%" "%NPM_PREFIX_JS%"\') DO (',
  '  SET "NPM_PREFIX_NPX_CLI_JS=%%F\\node_modules\\npm\\bin\\npx-cli.js"',
  ')',
  'IF EXIST "%NPM_PREFIX_NPX_CLI_JS%" (',
  '  SET "NPX_CLI_JS=%NPM_PREFIX_NPX_CLI_JS%"',
  ')',
  '',
  '"%NODE_EXE%" "%NPX_CLI_JS%" %*',
);

const pnpm = lines(
  '@SETLOCAL',
  '@IF NOT DEFINED NODE_PATH (',
  '  @SET "NODE_PATH=C:\\store\\node_modules"',
  ') ELSE (',
  '  @SET "NODE_PATH=C:\\store\\node_modules;%NODE_PATH%"',
  ')',
  '@IF EXIST "%~dp0\\node.exe" (',
  '  "%~dp0\\node.exe"  "%~dp0\\..\\x\\cli.js" %*',
  ') ELSE (',
  '  @SET PATHEXT=%PATHEXT:;.JS;=;%',
  '  node  "%~dp0\\..\\x\\cli.js" %*',
  ')',
);

const editor = lines(
  '@echo off',
  'setlocal',
  'set VSCODE_DEV=',
  'set ELECTRON_RUN_AS_NODE=1',
  '"%~dp0..\\Code.exe" "%~dp0..\\resources\\app\\out\\cli.js" %*',
  'IF %ERRORLEVEL% NEQ 0 EXIT /b %ERRORLEVEL%',
  'endlocal',
);

const unknown = lines('@echo off', 'if "%1"=="x" del y', 'node server.js %*');

const files: Readonly<Record<string, string>> = {
  'C:\\node\\node.exe': '',
  'C:\\node\\node_modules\\npm\\bin\\npx-cli.js': '',
  'C:\\node\\npx.cmd': npx,
  'C:\\npm\\npx.cmd': shim('%dp0%\\node_modules\\npm\\bin\\npx-cli.js'),
  'C:\\npm\\node_modules\\npm\\bin\\npx-cli.js': '',
  'C:\\npm\\with.cmd': shim('%dp0%\\x\\cli.js', ['@SET A=1']),
  'C:\\npm\\gone.cmd': shim('%dp0%\\gone\\cli.js'),
  'C:\\npm\\exe.cmd': lines(...shim('x').split('\r\n').slice(0, 8), '"%dp0%\\x\\x.exe"   %*', ''),
  'C:\\npm\\x\\cli.js': '',
  'C:\\npm\\x\\x.exe': '',
  'C:\\p\\.bin\\x.CMD': pnpm,
  'C:\\p\\x\\cli.js': '',
  'C:\\mise\\uvx.cmd': lines('@echo off', 'setlocal', 'mise x -- uvx %*'),
  'C:\\mise\\mise.exe': '',
  'C:\\scoop\\uvx.cmd': '@"C:\\apps\\uvx.exe" %*',
  'C:\\apps\\uvx.exe': '',
  'C:\\py\\a.bat': lines('@echo off', 'chcp 1250 > NUL', 'call pyenv exec %~n0 %*'),
  'C:\\pyenv\\pyenv.bat': lines('@echo off', '@"C:\\apps\\uvx.exe" pyenv %*'),
  'C:\\code\\bin\\code.cmd': editor,
  'C:\\code\\Code.exe': '',
  'C:\\code\\resources\\app\\out\\cli.js': '',
  'C:\\odd\\server.cmd': unknown,
  'C:\\odd\\round.cmd': '@round %*',
};
const onPath: Readonly<Record<string, string>> = {
  node: 'C:\\node\\node.exe',
  mise: 'C:\\mise\\mise.exe',
  pyenv: 'C:\\pyenv\\pyenv.bat',
  round: 'C:\\odd\\round.cmd',
};
const look: LauncherFiles = {
  read: (file) => Promise.resolve(files[file]),
  find: (program) => Promise.resolve(program in files ? program : onPath[program]),
  isThere: (file) => Promise.resolve(file in files),
};

/** What runs in the end, with its arguments, or why nothing does. */
async function runs(file: string, args: readonly string[]): Promise<string[][] | string> {
  let program: StdioProgram;
  try {
    program = await resolveLauncher({ file, args, env: {} }, look);
  } catch (error) {
    assert.ok(isMcpError(error, 'spawnFailed'));
    return error.facts.detail ?? '';
  }
  if (program.file.endsWith('.exe')) return [[program.file, ...program.args]];
  const { args: given } = crossSpawnOnWindows(program.file, program.args);
  const batches = { [program.file]: 'odd.exe %*' };
  return runByCmd(given.at(-1) ?? '', { PATH: 'expanded' }, batches);
}

const hostile = ['a&calc', 'a"&calc&"', '|calc', '<x', '>x', '^&calc', '%PATH%', 'a"b', 'x\ncalc'];
const harmless = ['', 'a b', 'a\\', 'a\\\\', 'C:\\my dir\\', '(x)!y;z,=', "it's", 'ä=1'];

describe('A launcher of Windows', () => {
  const behind: Readonly<Record<string, readonly string[]>> = {
    'C:\\node\\npx.cmd': ['C:\\node\\node.exe', 'C:\\node\\node_modules\\npm\\bin\\npx-cli.js'],
    'C:\\npm\\npx.cmd': ['C:\\node\\node.exe', 'C:\\npm\\node_modules\\npm\\bin\\npx-cli.js'],
    'C:\\npm\\with.cmd': ['C:\\node\\node.exe', 'C:\\npm\\x\\cli.js'],
    'C:\\npm\\exe.cmd': ['C:\\npm\\x\\x.exe'],
    'C:\\p\\.bin\\x.CMD': ['C:\\node\\node.exe', 'C:\\p\\x\\cli.js'],
    'C:\\mise\\uvx.cmd': ['C:\\mise\\mise.exe', 'x', '--', 'uvx'],
    'C:\\scoop\\uvx.cmd': ['C:\\apps\\uvx.exe'],
    'C:\\py\\a.bat': ['C:\\apps\\uvx.exe', 'pyenv', 'exec', 'a'],
    'C:\\code\\bin\\code.cmd': ['C:\\code\\Code.exe', 'C:\\code\\resources\\app\\out\\cli.js'],
  };
  it('is rejected if its variables refer to each other without end', async () => {
    const names = Array.from({ length: 18 }, (_, at) => `@SET "A${at}=%A${at + 1}%%A${at + 1}%"`);
    const script = lines(...names, '@x%A0% %*');
    let starts: readonly unknown[] | undefined;
    const count = await busiestCount(() => {
      starts = programsOfScript(script, 'C:\\a\\x.cmd', { A18: '' });
    });
    assert.deepEqual(starts, []);
    assert.ok(count < 50_000, `${count} steps`);
  });

  for (const [file, started] of Object.entries(behind)) {
    it(`is bypassed, so that every argument arrives: ${file}`, async () => {
      const args = [...hostile, ...harmless];
      assert.deepEqual(await runs(file, args), [[...started, ...args]]);
    });
  }

  it('passes on the variables that it sets, and no other', async () => {
    const envOf = async (file: string, env: Readonly<Record<string, string>>) =>
      (await resolveLauncher({ file, args: [], env }, look)).env;
    assert.deepEqual(await envOf('C:\\code\\bin\\code.cmd', { A: '1', Vscode_Dev: '1' }), {
      A: '1',
      ELECTRON_RUN_AS_NODE: '1',
    });
    assert.deepEqual(await envOf('C:\\npm\\npx.cmd', { A: '1' }), { A: '1' });
    const store = 'C:\\store\\node_modules';
    assert.deepEqual(await envOf('C:\\p\\.bin\\x.CMD', {}), { NODE_PATH: store });
    assert.deepEqual(await envOf('C:\\p\\.bin\\x.CMD', { Node_Path: 'D:\\x' }), {
      NODE_PATH: `${store};D:\\x`,
    });
  });
});

describe('A batch file that is not a launcher', () => {
  for (const file of ['C:\\odd\\server.cmd', 'C:\\npm\\gone.cmd', 'C:\\odd\\round.cmd']) {
    it(`accepts only arguments that cmd.exe leaves unchanged: ${file}`, async () => {
      assert.deepEqual(await runs(file, harmless), [['odd.exe', ...harmless]]);
      for (const arg of hostile) {
        const why = await runs(file, ['first', arg]);
        assert.match(String(why), /^\w+\.cmd is a batch file, .* argument 2 as a command; /, arg);
      }
    });
  }

  it('runs nothing but itself, with the given arguments, whatever they are', async () => {
    const signs = constantFrom(...Array.from('ab \\"%^&|<>()!;,=\n\'/.-ä'));
    const texts = array(string({ unit: signs, maxLength: 12 }), { maxLength: 3 });
    await assertProperty(
      asyncProperty(texts, async (args) => {
        const ran = await runs('C:\\odd\\server.cmd', args);
        if (typeof ran !== 'string') assert.deepEqual(ran, [['odd.exe', ...args]]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('A program that is not a batch file', () => {
  it('is started unchanged', async () => {
    const program = { file: 'C:\\node\\node.exe', args: [...hostile, 'a\\\\'], env: {} };
    assert.equal(await resolveLauncher(program, look), program);
  });
});
