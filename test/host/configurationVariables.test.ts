import assert from 'node:assert/strict';
import path from 'node:path';
import { parseMcpJson } from '../../src/host/configuration/configuration';
import { app, file, inApp, inNoFolder, lib, only, parseEntry, told } from './configurationCases';

function resolved(text: string, context = inApp): [string, string[]] {
  const parsed = parseMcpJson(
    JSON.stringify({ servers: { a: { command: 'x', args: [text] } } }),
    file,
    context,
  );
  const { transport } = only(parsed);
  const problems = parsed.problems.map(
    ({ code, detail, fatal }) => `${code} ${detail}${fatal ? ' !' : ''}`,
  );
  return [transport.kind === 'stdio' ? (transport.args[0] ?? '') : '', problems];
}

describe('Variables', () => {
  it('are replaced', () => {
    const text =
      '${workspaceFolder}|${workspaceFolder:lib}|${workspaceFolderBasename}|${userHome}|${/}${pathSeparator}|${env:TOKEN}|${env:EMPTY}';
    const values = [app.path, lib.path, 'app', inApp.userHome, path.sep + path.sep, 'secret', ''];
    assert.deepEqual(resolved(text), [values.join('|'), []]);
  });

  it('of the environment that are not set are empty and marked', () => {
    for (const name of ['MISSING', '__proto__', 'toString', '']) {
      const variable = `\${env:${name}}`;
      assert.deepEqual(resolved(`<${variable}>`), ['<>', [`missingVariable ${variable}`]]);
    }
  });

  it('that need a missing folder stop the server', () => {
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

  it('of a shell are not replaced, and are marked', () => {
    assert.deepEqual(resolved('echo ${HOME} $HOME ${'), [
      'echo ${HOME} $HOME ${',
      ['unsupportedVariable ${HOME}'],
    ]);
  });

  it('of other programs are sent unchanged, and marked in values', () => {
    const entry = (value: string) => ({ command: 'x', env: { KEY: value } });
    const marked = [
      '$KEY',
      '%KEY%',
      '{{KEY}}',
      '{{ my.key }}',
      'Bearer $KEY',
      '$env:KEY',
      '$(KEY)',
    ];
    for (const value of marked) {
      const variable = value.replace('Bearer ', '');
      const { problems, servers } = parseEntry(entry(value));
      assert.deepEqual(told(problems), [`unsupportedVariable servers/a/env/KEY ${variable}`]);
      assert.deepEqual(servers[0]?.transport.kind === 'stdio' && servers[0].transport.env, {
        KEY: value,
      });
      const header = { url: 'https://h/', headers: { A: value } };
      assert.deepEqual(told(parseEntry(header).problems), [
        `unsupportedVariable servers/a/headers/A ${variable}`,
      ]);
      const args = parseEntry({ command: 'x', args: [variable, `--key=${variable}`] });
      assert.deepEqual(told(args.problems), [
        `unsupportedVariable servers/a/args/0 ${variable}`,
        `unsupportedVariable servers/a/args/1 ${variable}`,
      ]);
    }
    for (const url of ['https://h/{{KEY}}/mcp', 'https://h/?key=$KEY', 'https://%HOST%/mcp']) {
      const { problems } = parseEntry({ url });
      assert.equal(problems.filter(({ code }) => code === 'unsupportedVariable').length, 1, url);
    }
    const plain = ['pa$$word', 'a%20b%20c', '100% of {x}', '$5', 'echo "$HOME"', '{"a":{"b":1}}'];
    for (const value of plain) {
      assert.deepEqual(told(parseEntry({ command: 'x', args: ['-c', value] }).problems), [], value);
    }
    assert.deepEqual(told(parseEntry({ url: 'https://h/a%20b%C3%A4?q=%2B$1' }).problems), []);
  });

  it('are not searched for in replaced values', () => {
    const context = { ...inApp, env: { A: '${env:TOKEN}' } };
    assert.deepEqual(resolved('${env:A}', context), ['${env:TOKEN}', []]);
  });
});
