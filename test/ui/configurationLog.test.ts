import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { ConfigProblem, ServerConfig } from '../../src/host/configuration/serverConfig';
import { SecretValues } from '../../src/host/secrets/secretValues';
import { ConfigurationLog } from '../../src/ui/configuration/configurationDiagnostics';
import { ServerLogs } from '../../src/ui/servers/serverLogs';

describe('Problems of configurations', () => {
  const lines: string[] = [];
  const source = { kind: 'setting' } as const;
  const garden: ServerConfig = {
    id: 'garden',
    label: 'garden',
    source,
    transport: { kind: 'http', url: 'http://localhost:1/mcp', headers: {} },
  };
  const unknownKey: ConfigProblem = {
    code: 'unknownKey',
    source,
    server: 'garden',
    path: ['garden', 'colour'],
    fatal: false,
  };
  const notAnObject: ConfigProblem = { code: 'notAnObject', source, path: [], fatal: true };
  let logs: ServerLogs;
  let log: ConfigurationLog;

  function makeChannel(name: string) {
    const write = (level: string) => (line: string) => void lines.push(`${name} ${level}: ${line}`);
    return {
      trace: write('trace'),
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      show: () => undefined,
      dispose: () => undefined,
      logLevel: vscode.LogLevel.Info,
    };
  }

  beforeEach(() => {
    lines.length = 0;
    logs = new ServerLogs(new SecretValues(), makeChannel);
    log = new ConfigurationLog(logs);
  });
  afterEach(() => logs.dispose());

  it('are in the log of their server, or of the extension', () => {
    log.write([notAnObject, unknownKey], [garden]);
    assert.deepEqual(lines, [
      'Toolgate error: Setting "toolgate.servers": An object is required here.',
      'Toolgate: garden warn: Setting "toolgate.servers", at garden.colour: Unknown key “colour”. It is ignored. Server “garden” can start anyway.',
    ]);
  });

  it('are written without the URL, which may contain a password', () => {
    const detail = 'http//me:hunter2@localhost';
    log.write([{ ...unknownKey, code: 'invalidUrl', fatal: true, detail }], []);
    assert.equal(lines.length, 1);
    assert.match(lines.join(), /^Toolgate error: .* not a valid http or https URL\./);
    assert.doesNotMatch(lines.join(), /hunter2/);
  });

  it('are written once, and again after they were fixed meanwhile', () => {
    log.write([unknownKey], [garden]);
    log.write([unknownKey], [garden]);
    assert.equal(lines.length, 1);
    log.write([], [garden]);
    log.write([unknownKey], [garden]);
    assert.equal(lines.length, 2);
  });
});
