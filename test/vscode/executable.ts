import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { closeSharedChromium, sharedChromium } from './profile';
import { startServer } from './server';
import { readSocketsAtOnce } from './sockets';

// Stands in for desktop VS Code where that cannot be had: takes its command line, and opens the
// folder in a VS Code Server with the workbench in headless Chromium. `@vscode/test-electron`
// starts this as its `vscodeExecutablePath`. Ends with the exit code of the tests.

/** Nobody looks at it, and every pixel is drawn by a processor. */
const viewport = { width: 800, height: 480 };

const parameters = process.argv.slice(2);
const folders = parameters.filter((parameter) => !parameter.startsWith('-'));

function valueOf(name: string): string | undefined {
  return parameters.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);
}

function readUserSettings(): Record<string, unknown> {
  const file = path.join(valueOf('user-data-dir') ?? '', 'User/settings.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

async function main(): Promise<number> {
  const extensionsFolder = valueOf('extensions-dir');
  const server = await startServer({
    settings: readUserSettings(),
    workspaceTrust: !parameters.includes('--disable-workspace-trust'),
    ...(extensionsFolder === undefined ? {} : { extensionsFolder }),
  });
  const browser = await sharedChromium();
  const page = await browser.newPage({ viewport });
  await readSocketsAtOnce(page);
  const ended = new Promise<number>((resolve, reject) => {
    page.on('crash', () => reject(new Error('The page of VS Code crashed.')));
    page.on('close', () => reject(new Error('The page of VS Code closed before the tests ended.')));
    page.exposeFunction('codeAutomationExit', (code: number) => resolve(code)).catch(reject);
    page
      .exposeFunction('codeAutomationLog', (type: string, values: unknown[]) =>
        console.log(`[${type}]`, ...values),
      )
      .catch(reject);
    page
      .goto(
        server.url({
          folder: folders[0] ?? process.cwd(),
          extensionDevelopmentPath: valueOf('extensionDevelopmentPath'),
          extensionTestsPath: valueOf('extensionTestsPath'),
        }),
      )
      .catch(reject);
  });
  try {
    return await ended;
  } finally {
    await closeSharedChromium();
    server.stop();
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
