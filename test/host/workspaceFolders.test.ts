import assert from 'node:assert/strict';
import path from 'node:path';
import {
  mergeConfigurations,
  parseMcpJson,
  type ParsedConfiguration,
} from '../../src/host/configuration/configuration';
import type { WorkspaceFolder } from '../../src/host/configuration/variables';
import { serverKey } from '../../src/host/configuration/serverConfig';
import { app, inNoFolder, lib, told } from './configurationCases';

/** The file of a folder, in a workspace of these. */
function fileOf(
  folder: WorkspaceFolder,
  workspaceFolders: readonly WorkspaceFolder[],
  servers: object,
): ParsedConfiguration {
  const file = path.join(folder.path, '.vscode', 'mcp.json');
  return parseMcpJson(
    JSON.stringify({ servers }),
    { kind: 'workspaceFile', path: file, folder: folder.path },
    { ...inNoFolder, workspaceFolders, folder },
  );
}

const runs = (text: string) => ({ command: 'run', args: [text] });

describe('A workspace of several folders', () => {
  const of = (...folders: readonly WorkspaceFolder[]) =>
    mergeConfigurations(
      folders.map((folder) =>
        fileOf(folder, folders, {
          same: runs('${workspaceFolder}'),
          [`of-${folder.name}`]: runs('${workspaceFolder:lib}'),
        }),
      ),
    );
  const picture = ({ servers }: ReturnType<typeof of>): string[] =>
    servers.map(({ id, transport }) =>
      transport.kind === 'stdio' ? `${id} ${transport.args.join()} in ${transport.cwd}` : id,
    );

  it('lists a server of the same name in two folders once, from the first', () => {
    const both = of(app, lib);
    assert.deepEqual(picture(both), [
      `same ${app.path} in ${app.path}`,
      `of-app ${lib.path} in ${app.path}`,
      `of-lib ${lib.path} in ${lib.path}`,
    ]);
    assert.deepEqual(
      both.problems.map((problem) => [
        ...told([problem]),
        'path' in problem.source && problem.source.path,
      ]),
      [['shadowed servers/same', path.join(lib.path, '.vscode', 'mcp.json')]],
    );
    assert.deepEqual(picture(of(lib, app)).slice(0, 1), [`same ${lib.path} in ${lib.path}`]);
  });

  it('loses the servers of a removed folder, and stops servers that depend on it', () => {
    const one = of(app);
    assert.deepEqual(picture(one), [
      `same ${app.path} in ${app.path}`,
      `of-app \${workspaceFolder:lib} in ${app.path}`,
    ]);
    assert.deepEqual(told(one.problems), [
      'missingVariable servers/of-app/args/0 ${workspaceFolder:lib} !',
    ]);
    assert.deepEqual(of(lib).problems, []);
  });

  it('distinguishes servers of the same name by their folders', () => {
    const [first, second] = [of(app), of(lib)].map(({ servers: [server] }) => server);
    assert.ok(first && second && first.id === second.id);
    assert.notEqual(serverKey(first), serverKey(second));
  });
});
