import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { ImagePull, commandKind, processKind } from '../../src/core/stdio/installWatch';

describe('A command line', () => {
  for (const [kind, lines] of Object.entries({
    launcher: [
      'npx -y some-server',
      'npm exec @scope/server --flag',
      'node /usr/bin/npx -y some-server',
      'node\0/usr/lib/node_modules/npm/bin/npx-cli.js\0-y\0some-server\0',
      '"C:\\nodejs\\node.exe" "C:\\nodejs\\node_modules\\npm\\bin\\npx-cli.js" -y x',
      '"C:\\Program Files\\nodejs\\node.exe" "C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npx-cli.js" -y x',
      '/home/me/my programs/node\0/home/me/my programs/npx\0-y\0x\0',
      'npm exec some server\0\0\0',
      '/bin/sh /home/me/bin/npx -y x',
      'pnpm dlx x',
      'bunx x',
      '/home/me/.local/bin/uvx mcp-server-time',
      'uv tool uvx mcp-server-time',
      'uv run server.py',
      'pipx run x',
    ],
    installer: [
      'npm install',
      'npm ci',
      'python3 -m pip install x',
      'uv pip install x',
      'docker pull image',
      'podman --remote pull image',
      'node /x/node-gyp.js rebuild',
      'bun add x',
    ],
    container: ['docker run -i --rm image', 'podman run image'],
    tool: [
      'sh -c npx -y x',
      'bash -lc "npm install"',
      'cmd.exe /d /s /c npx',
      'sleep 5',
      'sh\0-c\0npm install\0',
      '"C:\\Windows\\system32\\cmd.exe" /d /s /c "npx"',
      'git clone x',
    ],
    program: [
      'node server.js',
      'node /x/node_modules/.bin/mcp-server npx',
      'python3 -m server install',
      'npm run start',
      '"C:\\Program Files\\nodejs\\node.exe" "C:\\my npx\\server.js" install',
      'node\0/home/me/npx server.js\0',
      'bash /x/server.sh',
      'uv',
      '/opt/npx/bin/server',
      '/opt/bin/constructor --port 1',
      'node /x/__proto__.js run',
      '',
    ],
  })) {
    for (const line of lines) {
      it(`is ${kind}: ${JSON.stringify(line)}`, () => assert.equal(commandKind(line), kind));
    }
  }

  it('of a process that has ended is that of a tool', async function () {
    if (process.platform !== 'linux') this.skip();
    const { pid } = spawnSync('true');
    assert.equal(await processKind({ pid, parent: process.pid }), 'tool');
    assert.equal(await processKind({ pid: process.pid, parent: process.ppid }), 'program');
  });

  it('of a container downloads its image after the program name, up to its end', () => {
    const pull = new ImagePull();
    const states = [
      'warning: something',
      "Unable to find image 'mcp/time:latest' locally",
      'latest: Pulling from mcp/time',
      'abc: Pull complete',
      'Status: Downloaded newer image for mcp/time:latest',
      'server: listening',
    ].map((line) => (pull.take(line), pull.isUnderWay));
    assert.deepEqual(states, [false, true, true, true, false, false]);
  });
});
