import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { buildSync } from 'esbuild';
import type { Page } from 'playwright-core';
import { waitForAnswer } from './page/answerFrame';
import { pressDialog, readDialog } from './page/dialog';
import { editorText, tabs, waitForTab } from './page/editors';
import { pick, readQuickInput, runCommand, typeAndAccept } from './page/quickInput';
import { readTree, showRow, treeLines, treeRow } from './page/sideBar';
import { chooseTool, closeEditors, openToolgate, startAll, waitForInput } from './page/toolgate';
import { eventually } from './waiting';
import { AuthorizationServer } from './fixtures/authorizationServer';
import { walkCalls } from './tourCalls';
import { walkAgent } from './tourAgent';
import { askForScopes, walkSignIn } from './tourSignIn';
import { walkTasks } from './tourTasks';
import { TaskServer } from './servers/taskServer';
import { projectFolder, resultsFolder } from './vscode/paths';
import { makeTemporaryFolder } from './vscode/server';
import { openWindow } from './vscode/window';

// npm run tour: what a person would see, without one. Opens VS Code on the demo workspace, starts
// its servers, prints the tree, calls three tools through palette and dialog, prints what came
// back, and takes the pictures of the documents in a dark and a light theme.

const pictureFolder = path.join(projectFolder, 'media/screenshots');
const themes = ['dark', 'light'] as const;
type Theme = (typeof themes)[number];
type Clip = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** Nothing in the pictures that is not about Toolgate. */
const settings = {
  'breadcrumbs.enabled': false,
  'editor.minimap.enabled': false,
  'editor.renderLineHighlight': 'none',
  'editor.overviewRulerBorder': false,
  'editor.hideCursorInOverviewRuler': true,
  'window.commandCenter': false,
  'window.customTitleBarVisibility': 'never',
  'window.menuBarVisibility': 'hidden',
  'workbench.layoutControl.enabled': false,
  'workbench.statusBar.visible': false,
  'workbench.tree.enableStickyScroll': false,
  'toolgate.agents.enabled': true,
  'toolgate.agents.servers': ['demo'],
};

const server = (...args: string[]) => ({ command: 'node', args, cwd: '${workspaceFolder}' });

/** A copy with paths as short as in a project of one's own: the dialog shows the command line. */
function copyWorkspace(outer: string): string {
  const folder = path.join(outer, 'demo');
  cpSync(path.join(projectFolder, 'test/demoWorkspace'), folder, { recursive: true });
  for (const name of ['dist', 'node_modules']) {
    symlinkSync(path.join(projectFolder, name), path.join(folder, name), 'junction');
  }
  const servers = {
    demo: server('dist/demoServer.js'),
    everything: server(
      'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
      'stdio',
    ),
    files: server('node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', '.'),
  };
  configure(folder, servers);
  return folder;
}

function configure(folder: string, servers: object): void {
  writeFileSync(path.join(folder, '.vscode/mcp.json'), JSON.stringify({ servers }, undefined, 2));
}

/** Servers of three revisions, built with the official SDKs. */
function configureRevisions(folder: string): void {
  buildSync({
    entryPoints: [path.join(projectFolder, 'test/servers/revisions.ts')],
    outfile: path.join(folder, 'server.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  configure(folder, {
    garden: server('server.cjs', '2024-11-05'),
    weather: server('server.cjs', '2025-11-25'),
    greenhouse: server('server.cjs', '2026-07-28'),
  });
}

/** Takes pictures and says what it sees; the second theme only takes pictures. */
class Tour {
  readonly #page: Page;
  readonly #theme: Theme;
  readonly #say: (text: string) => void;

  constructor(page: Page, theme: Theme, say: (text: string) => void) {
    this.#page = page;
    this.#theme = theme;
    this.#say = say;
  }

  async walk(folder: string, userFolder: string): Promise<void> {
    const page = this.#page;
    await openToolgate(page);
    await startAll(page, 3);
    this.#say('\nServers, tools and their risk:\n');
    this.#say(treeLines(await readTree(page)).join('\n'));
    await page.keyboard.press('Home');
    await this.#dragSidebar(360);
    await this.#picture('tree', () => this.#hoverOver('Turn the garden around'));

    await this.#define();
    await this.#call('Echo Tool', ['Hello from the tour']);
    await this.#call('Read Text File', ['notes/hello.txt'], { hasList: true });
    await this.#call('Bring everything', [], { isPage: true });
    // Pictures and sounds come after the texts.
    await eventually(
      () => waitForAnswer(page, /./),
      (text) => !text.includes('Loading…'),
    );
    await this.#picture('result');
    await closeEditors(page);
    await this.#refuse();
    await this.#review();
    await this.#remember();
    await walkAgent(page, { folder, userFolder }, (name, prepare) => this.#picture(name, prepare));
    await walkCalls(page, (name, prepare) => this.#picture(name, prepare));
    await this.#narrow('narrow');
  }

  /** What a click on a tool shows: its definition, and the focus stays in the tree. */
  async #define(): Promise<void> {
    const page = this.#page;
    await (await showRow(page, 'Plant a note')).click();
    await waitForAnswer(page, /Input schema/);
    await this.#picture('definition');
    // Further on no row looks special.
    await page.keyboard.press('Escape');
    await closeEditors(page);
  }

  /** Everything about a call that is asked about, as a document. */
  async #review(): Promise<void> {
    const page = this.#page;
    await chooseTool(page, 'Delete a note');
    await this.#enter(['Roses']);
    await pressDialog(page, 'Review');
    await waitForTab(page, /review/);
    await this.#picture('review', () => page.locator('.codelens-decoration').first().waitFor());
    await runCommand(page, 'Toolgate: Cancel Call');
    await page.locator('.editor .tabs-container .tab').first().waitFor({ state: 'detached' });
  }

  /** A permission, the list of all of them, and the journal in which everything stands. */
  async #remember(): Promise<void> {
    const page = this.#page;
    await chooseTool(page, 'List notes');
    await pressDialog(page, 'Allow…');
    await pick(page, 'This tool, always');
    await eventually(
      () => tabs(page),
      (all) => all.some(({ isActive }) => isActive),
    );
    await closeEditors(page);
    await runCommand(page, 'Toolgate: Manage Permissions…');
    await this.#picture('permissions', async () => {
      await waitForInput(page, 'Permissions');
    });
    await page.keyboard.press('Escape');
    await runCommand(page, 'Toolgate: Show Audit Journal');
    await page.locator('.codelens-decoration').first().waitFor();
    // Its columns need the room.
    await runCommand(page, 'View: Toggle Primary Side Bar Visibility');
    await this.#picture('journal', () => page.locator('.codelens-decoration').first().waitFor());
    await runCommand(page, 'View: Toggle Primary Side Bar Visibility');
    this.#say(`\nThe journal:\n${indented(await editorText(page))}`);
    await closeEditors(page);
  }

  /** Servers of three revisions side by side, after the ones of {@link walk}. */
  async walkRevisions(): Promise<void> {
    const page = this.#page;
    await eventually(
      () => readTree(page),
      (rows) => rows.length === 3 && rows.every(({ level }) => level === 1),
    );
    await startAll(page, 3);
    this.#say('\nServers of three revisions:\n');
    this.#say(treeLines(await readTree(page)).join('\n'));
    await page.keyboard.press('Home');
    await this.#dragSidebar(360);
    // The side bar alone, and no tooltip: it would cover rows, and names a process.
    await this.#picture('revisions', undefined, { x: 0, y: 0, width: 420, height: 310 });
    await this.#narrow('narrow-revisions');
  }

  /** A server that wants a sign-in, alone. */
  async walkSignIn(): Promise<void> {
    await this.#dragSidebar(360);
    await walkSignIn(this.#page, (name, prepare) => this.#picture(name, prepare));
  }

  /** A server that runs calls as tasks, alone; the side bar is all there is to see. */
  async walkTasks(): Promise<void> {
    const clip = { x: 0, y: 0, width: 420, height: 600 };
    await walkTasks(this.#page, (name) => this.#picture(name, undefined, clip));
  }

  /**
   * Through the palette and the dialog. What is optional is left out in a list of its own. An answer
   * of several kinds is a page, and stays open.
   */
  async #call(
    title: string,
    answers: readonly string[],
    { hasList = false, isPage = false } = {},
  ): Promise<void> {
    const page = this.#page;
    await chooseTool(page, title);
    await this.#enter(answers);
    if (hasList) await pick(page, 'Run');
    const { message, detail } = await readDialog(page);
    this.#say(`\n${message}\n${indented(detail)}`);
    await pressDialog(page, 'Run');
    const open = await eventually(
      () => tabs(page),
      (all) => all.some(({ isActive }) => isActive),
    );
    const name = open.find(({ isActive }) => isActive)?.label ?? '';
    await waitForTab(page, name);
    const text = isPage ? await waitForAnswer(page, /./) : await editorText(page);
    this.#say(`Run, and this came back as ${name}:\n${indented(text)}`);
    if (!isPage) await closeEditors(page);
  }

  async #enter(answers: readonly string[]): Promise<void> {
    for (const [index, answer] of answers.entries()) {
      const step = answers.length === 1 ? '' : `(${index + 1}/${answers.length})`;
      await eventually(
        () => readQuickInput(this.#page),
        ({ title }) => title !== 'Call Tool' && title.endsWith(step),
      );
      await typeAndAccept(this.#page, answer);
    }
  }

  /** The dialog of a destructive tool; its picture is all that it is asked for. */
  async #refuse(): Promise<void> {
    const page = this.#page;
    await chooseTool(page, 'Delete a note');
    await this.#enter(['Roses']);
    const { message, detail } = await readDialog(page);
    this.#say(`\n${message}\n${indented(detail)}`);
    await this.#picture('dialog');
    await pressDialog(page, 'Cancel');
    await waitForDialogToGo(page);
    this.#say('Cancelled: the server did not hear of it.');
  }

  async #hoverOver(label: string): Promise<void> {
    const page = this.#page;
    await treeRow(page, label).locator('.label-name').hover();
    const hover = page.locator('.workbench-hover');
    await eventually(
      async () => ((await hover.count()) > 0 ? hover.first().innerText() : ''),
      (text) => text.includes('destructiveHint'),
    );
  }

  /** A sidebar of 200 pixels, to look at; not for the documents. */
  async #narrow(name: string): Promise<void> {
    await this.#dragSidebar(200);
    const file = path.join(resultsFolder, `${name}-${this.#theme}.png`);
    await this.#page.screenshot({ path: file, clip: { x: 0, y: 0, width: 300, height: 600 } });
  }

  /** Leaves the focus in the editor area, so that no row looks special. */
  async #dragSidebar(width: number): Promise<void> {
    const page = this.#page;
    const sideBar = page.locator('.part.sidebar');
    await eventually(
      async () => {
        const box = await sideBar.boundingBox();
        if (box === null) throw new Error('There is no side bar.');
        const y = box.y + box.height / 2;
        await page.mouse.move(box.x + box.width, y);
        await page.mouse.down();
        await page.mouse.move(box.x + width, y, { steps: 5 });
        await page.mouse.up();
        return (await sideBar.boundingBox())?.width ?? 0;
      },
      // The edge may not have been caught.
      (dragged) => Math.abs(dragged - width) < 5,
    );
    await page.mouse.click(900, 560);
  }

  async #picture(name: string, prepare?: () => Promise<void>, clip?: Clip): Promise<void> {
    const page = this.#page;
    await page.mouse.move(900, 560);
    await prepare?.();
    // The cursor of the editor blinks: without it pictures differ only where the product does.
    await page.addStyleTag({ content: '.cursors-layer { display: none }' });
    const file = path.join(pictureFolder, `${name}-${this.#theme}.png`);
    await page.screenshot({
      path: file,
      animations: 'disabled',
      ...(clip === undefined ? {} : { clip }),
    });
    this.#say(`\nPicture: ${path.relative(projectFolder, file)}`);
  }
}

async function waitForDialogToGo(page: Page): Promise<void> {
  await page.locator('.monaco-dialog-box').waitFor({ state: 'detached' });
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^(?=.)/gm, '    ');
}

async function main(): Promise<void> {
  const build = spawnSync(process.execPath, ['esbuild.js'], { cwd: projectFolder });
  if (build.status !== 0) throw new Error(`The build failed:\n${String(build.stderr)}`);
  for (const folder of [pictureFolder, resultsFolder]) mkdirSync(folder, { recursive: true });
  const servers = await AuthorizationServer.start();
  await askForScopes(servers);
  const tasks = await TaskServer.start({ era: 'stateless' });
  for (const theme of themes) {
    const { folder: outer, remove } = makeTemporaryFolder('tour');
    const folder = copyWorkspace(outer);
    const window = await openWindow({
      folder,
      theme,
      settings,
      viewport: { width: 1000, height: 600 },
    });
    try {
      const say = theme === 'dark' ? (text: string) => console.log(text) : () => undefined;
      const tour = new Tour(window.page, theme, say);
      await tour.walk(folder, window.server.userFolder);
      configureRevisions(folder);
      await tour.walkRevisions();
      configure(folder, { docs: { url: servers.mcpUrl } });
      await tour.walkSignIn();
      configure(folder, { kitchen: { url: tasks.url } });
      await tour.walkTasks();
    } catch (error) {
      await window.saveEvidence(`tour-${theme}`);
      throw error;
    } finally {
      await window.close();
      remove();
    }
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
