import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackRedirects {
  /** What VS Code Server makes addresses of this machine with, as VSCODE_PROXY_URI. */
  readonly template: string;
  readonly stop: () => void;
}

/**
 * VS Code in a browser puts every address of this machine behind a proxy, as if it were far away, and VS
 * Code Server alone has none. The browser is on this machine, so it is sent to the address itself.
 */
export async function startLoopbackRedirects(): Promise<LoopbackRedirects> {
  const server = createServer(({ url = '' }, response) => {
    const [, port, rest] = /^\/(\d{1,5})(\/.*)$/.exec(url) ?? [];
    if (port === undefined) response.writeHead(404);
    else response.writeHead(307, { location: `http://127.0.0.1:${port}${rest}` });
    response.end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  const { port } = server.address() as AddressInfo;
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { template: `http://127.0.0.1:${port}/{{port}}/`, stop };
}
