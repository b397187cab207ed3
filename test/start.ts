import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { AuthorizationServer } from './fixtures/authorizationServer';
import { findDesktop, findInstalledCode } from './vscode/desktop';
import { projectFolder } from './vscode/paths';
import { startServer } from './vscode/server';

// npm start: builds, and opens VS Code with the extension on the demo workspace. Without a desktop
// VS Code it serves one to any browser. Until Ctrl+C there is a server with a sign-in to try, too.

/** As `test/signInWorkspace` has it. */
const signInPort = 8_917;

const folder = path.join(projectFolder, 'test/demo.code-workspace');
/** Shows the view and a call file when the window opens for the first time. */
const opener = path.join(projectFolder, 'test/vscode/opener');

async function serve(): Promise<void> {
  console.log('There is no desktop VS Code here, so one is served to your browser.');
  const server = await startServer({
    forPerson: true,
    linkedExtensions: [projectFolder, opener],
    // The demo workspace stands inside of a repository, which is asked about in front of its calls.
    settings: { 'git.enabled': true, 'git.openRepositoryInParentFolders': 'never' },
  });
  console.log(`\n  ${server.url({ folder })}\n`);
  console.log('Open this address. Press Ctrl+C here to end it.');
  setInterval(() => undefined, 60_000); // Until a signal comes; that ends the server, too.
}

/** The one of the demo workspace that wants a sign-in: any name and password will do. */
async function startSignInServer(): Promise<void> {
  const servers = await AuthorizationServer.start({ port: signInPort }).catch(() => undefined);
  if (servers === undefined) {
    console.log(`The server with a sign-in does not run: port ${signInPort} is taken.`);
    return;
  }
  const toolScopes = { write_file: 'files:write' };
  await servers.change({ challengeScopes: ['openid', 'files:read'], toolScopes });
  console.log(`A server with a sign-in is at ${servers.mcpUrl} until Ctrl+C.`);
}

function build(): void {
  const { status } = spawnSync(process.execPath, ['esbuild.js'], {
    cwd: projectFolder,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The build failed; see above.');
}

async function main(): Promise<void> {
  if (!process.argv.includes('--no-build')) build();
  await startSignInServer();
  const code = findInstalledCode();
  const desktop =
    process.env.TOOLGATE_VSCODE_EXECUTABLE === undefined && code !== undefined
      ? code
      : await findDesktop();
  if (desktop === undefined) return serve();
  console.log(`Opening ${desktop}`);
  const extensions = [projectFolder, opener].map((each) => `--extensionDevelopmentPath=${each}`);
  const parameters = [...extensions, folder];
  spawn(desktop, parameters, {
    detached: true,
    stdio: 'ignore',
    shell: process.platform === 'win32',
  }).unref();
}

main().catch((error: unknown) => {
  console.error(String(error));
  process.exit(1);
});
