import assert from 'node:assert/strict';
import path from 'node:path';
import { parseMcpJson } from '../../src/host/configuration/configuration';
import { app, file, inApp, inNoFolder, lib, only } from './configurationCases';

function resolved(text: string, context = inApp): [string, string[]] {
  const parsed = parseMcpJson(
    JSON.stringify({ servers: { a: { command: 'x', args: [text] } } }),
    file,
    context,
  );
  const { reach } = only(parsed);
  const problems = parsed.problems.map(
    ({ code, detail, fatal }) => `${code} ${detail}${fatal ? ' !' : ''}`,
  );
  return [reach.kind === 'stdio' ? (reach.args[0] ?? '') : '', problems];
}

describe('Variables', () => {
  it('are filled in', () => {
    const text =
      '${workspaceFolder}|${workspaceFolder:lib}|${workspaceFolderBasename}|${userHome}|${/}${pathSeparator}|${env:TOKEN}|${env:EMPTY}';
    const values = [app.path, lib.path, 'app', inApp.userHome, path.sep + path.sep, 'secret', ''];
    assert.deepEqual(resolved(text), [values.join('|'), []]);
  });

  it('of the environment that are not set are empty and noted', () => {
    for (const name of ['MISSING', '__proto__', 'toString', '']) {
      const variable = `\${env:${name}}`;
      assert.deepEqual(resolved(`<${variable}>`), ['<>', [`missingVariable ${variable}`]]);
    }
  });

  it('that need a folder there is none of stop the server', () => {
    const cases = ['${workspaceFolder:gone}', '${workspaceFolderBasename:gone}'];
    for (const text of cases) {
      assert.deepEqual(resolved(text), [text, [`missingVariable ${text} !`]]);
    }
    const text = '${workspaceFolder}';
    assert.deepEqual(resolved(text, inNoFolder), [text, [`missingVariable ${text} !`]]);
    const inOne = { ...inNoFolder, workspaceFolders: [lib] };
    assert.deepEqual(resolved(text, inOne), [lib.path, []]);
  });

  it('of VS Code that are not supported stop the server', () => {
    for (const name of ['command:x', 'file', 'fileDirname', 'execPath']) {
      const variable = `\${${name}}`;
      assert.deepEqual(resolved(variable), [variable, [`unsupportedVariable ${variable} !`]]);
    }
  });

  it('of a shell stay for the shell, and are noted', () => {
    assert.deepEqual(resolved('echo ${HOME} $HOME ${'), [
      'echo ${HOME} $HOME ${',
      ['unsupportedVariable ${HOME}'],
    ]);
  });

  it('are not looked for in what they stand for', () => {
    const context = { ...inApp, env: { A: '${env:TOKEN}' } };
    assert.deepEqual(resolved('${env:A}', context), ['${env:TOKEN}', []]);
  });
});
