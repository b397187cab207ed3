import assert from 'node:assert/strict';
import path from 'node:path';
import { parseMcpJson, type ParsedConfiguration } from '../../src/host/configuration/configuration';
import type {
  ConfigProblem,
  ConfigSource,
  ServerConfig,
} from '../../src/host/configuration/serverConfig';
import type { ConfigurationContext } from '../../src/host/configuration/variables';

export const app = { name: 'app', path: path.resolve('/work/app') };
export const lib = { name: 'lib', path: path.resolve('/work/lib') };
export const file: ConfigSource = {
  kind: 'workspaceFile',
  path: path.join(app.path, '.vscode', 'mcp.json'),
  folder: app.path,
};
export const setting: ConfigSource = { kind: 'setting' };

export const inApp: ConfigurationContext = {
  workspaceFolders: [app, lib],
  folder: app,
  userHome: path.resolve('/home/me'),
  env: { TOKEN: 'secret', EMPTY: '' },
  readFile: (name) => {
    if (path.basename(name) === '.env') return '\uFEFFFROM_FILE=1\nBOTH="file"\n# note\n';
    throw new Error(`no such file: ${path.basename(name)}`);
  },
};
export const inNoFolder: ConfigurationContext = {
  workspaceFolders: [app, lib],
  userHome: inApp.userHome,
  env: inApp.env,
  readFile: inApp.readFile,
};

/** As the file of the first folder. */
export const parse = (text: string): ParsedConfiguration => parseMcpJson(text, file, inApp);
export const parseEntry = (entry: object): ParsedConfiguration =>
  parse(JSON.stringify({ servers: { a: entry } }));

/** `code path detail !` of each, `!` for a fatal one. */
export function told(problems: readonly ConfigProblem[]): string[] {
  return problems.map(({ code, path: at, detail, fatal }) =>
    [code, at.join('/'), ...(detail === undefined ? [] : [detail]), ...(fatal ? ['!'] : [])].join(
      ' ',
    ),
  );
}

export function only({ servers }: ParsedConfiguration): ServerConfig {
  assert.equal(servers.length, 1);
  return servers[0] ?? assert.fail();
}
