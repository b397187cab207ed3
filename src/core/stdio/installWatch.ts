import type { StartClock } from '../eras/startClock';
import { descendantsIn, processTable, type TableRow } from './processTable';
import { procFacts, procStdout, procStdoutNow, procText } from './procFs';

/** Cached packages start sooner, and a row that changes its text twice a second is not helpful. */
const firstLookMs = 2_000;
const betweenLooksMs = 1_000;
/** Pause after a look, as a multiple of its duration. */
const shareOfTime = 20;
const maxCommandBytes = 4_096;

/**
 * Watches a process that is starting: while it, or a package manager below it, installs the
 * program, the start timeout is paused. A program that only pretends to install delays its own
 * start, no longer than the timeout can be paused.
 */
export class InstallWatch {
  readonly #pid: number;
  readonly #clock: StartClock;
  readonly #onDidChange: (isInstalling: boolean) => void;
  readonly #pull = new ImagePull();
  /** Stdout of the process as it was started: a shell may have another one for a while. */
  readonly #stdout: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isInstalling = false;
  #isOver = false;

  constructor(pid: number, clock: StartClock, onDidChange: (isInstalling: boolean) => void) {
    this.#pid = pid;
    this.#clock = clock;
    this.#onDidChange = onDidChange;
    this.#stdout = procStdoutNow(pid);
    this.#lookIn(Math.min(firstLookMs, clock.leftMs / 3));
  }

  /** Result of the last look. */
  get isInstalling(): boolean {
    return this.#isInstalling;
  }

  /** Takes a line of stderr: untrusted. */
  take(line: string): void {
    this.#pull.take(line);
  }

  /** Called when the start has succeeded or failed. */
  dispose(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#clock.release();
  }

  #lookIn(ms: number): void {
    this.#timer = setTimeout(() => void this.#look(), ms);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const begunAt = performance.now();
    const isInstalling = await installsIn(this.#pid, this.#pull, this.#stdout);
    if (this.#isOver) return;
    // A failed start has ended its processes, so keep the last result instead of looking at the
    // remains.
    if (isInstalling === undefined) return this.#lookIn(betweenLooksMs);
    if (isInstalling) this.#clock.hold();
    else this.#clock.release();
    if (isInstalling !== this.#isInstalling) {
      this.#isInstalling = isInstalling;
      this.#onDidChange(isInstalling);
    }
    this.#lookIn(Math.max(betweenLooksMs, shareOfTime * (performance.now() - begunAt)));
  }
}

/**
 * Resolves with true if a package manager is working in the tree of this process; `undefined` if
 * the process is gone or the system gives no information. Never rejects.
 */
async function installsIn(
  pid: number,
  pull: ImagePull,
  stdout: string | undefined,
): Promise<boolean | undefined> {
  const table = await processTable();
  const own = table.filter((row) => row.pid === pid);
  if (own.length === 0) return undefined;
  const all = [...own, ...descendantsIn(table, pid)];
  const rows = await Promise.all(
    all.map(async (row) => ({ ...row, kind: await processKind(row) })),
  );
  if (rows.some(({ kind }) => kind === 'installer')) return true;
  if (pull.isUnderWay && rows.some(({ kind }) => kind === 'container')) return true;
  const launchers = rows.filter(({ kind }) => kind === 'launcher');
  if (launchers.length === 0) return false;
  // Only the innermost launcher is working; once a program runs below it, that is installed.
  const programs = rows.filter(({ kind }) => kind === 'program');
  const speaking = await Promise.all(programs.map((row) => isOf(row.pid, stdout)));
  const servers = programs.filter((_, at) => speaking[at] === true);
  return launchers.every((launcher) => {
    const below = descendantsIn(rows, launcher.pid);
    return !below.some((row) => servers.includes(row));
  });
}

/** A process that ended since the list was read is a helper of the installation. Never rejects. */
export async function processKind({ pid, command }: TableRow): Promise<CommandKind> {
  if (command !== undefined) return commandKind(command);
  const text = await procText(pid, 'cmdline', maxCommandBytes);
  const isGone = text === '' && process.platform === 'linux' && !(await procFacts(pid));
  return isGone ? 'tool' : commandKind(text);
}

/**
 * Install scripts write to another stdout; if the stdout is unknown, any program counts as the
 * server.
 */
async function isOf(pid: number, stdout: string | undefined): Promise<boolean> {
  if (stdout === undefined) return true;
  const own = await procStdout(pid);
  return own === undefined || own === stdout;
}

/** Role of a command line in an installation. */
type CommandKind =
  /** Installs a program and then runs it as its child. */
  | 'launcher'
  /** Installs and then exits. */
  | 'installer'
  /** Runs a container, and may have to pull its image first: its output shows that. */
  | 'container'
  /** Runs during an installation and is no server: a shell, a compiler, a download. */
  | 'tool'
  | 'program';

const interpreters = /^(?:node|nodejs|python[\d.]*|ruby|env|corepack)$/;
const shells = /^(?:sh|bash|dash|zsh|ash|fish|cmd|powershell|pwsh)$/;
const tools =
  /^(?:sleep|curl|wget|tar|gzip|unzip|xz|git|git-.+|ssh|make|gmake|cmake|ninja|cc|gcc|g\+\+|c\+\+|cc1|cc1plus|clang|clang\+\+|as|ld|collect2|rustc|compile|link|asm)$/;

const launchers = /^(?:npx|pnpx|bunx|uvx|dnx)$/;
const installers = /^(?:node-gyp|pip[\d.]*|brew|apt|apt-get|apk|dnf|conda|mamba|choco|winget)$/;
/** Commands of each manager: those that launch, and those that install. */
const managers: Readonly<Record<string, readonly [launches: RegExp, installs: RegExp]>> = {
  npm: [/^(?:exec|x|init|create)$/, /^(?:i|install|ci|add|update|rebuild|install-.+)$/],
  pnpm: [/^(?:dlx|create)$/, /^(?:i|install|add|update|rebuild|fetch)$/],
  yarn: [/^(?:dlx|create)$/, /^(?:install|add)$/],
  bun: [/^(?:x|create)$/, /^(?:i|install|add)$/],
  uv: [/^(?:tool|run|x)$/, /^(?:pip|sync|add|lock|build|python|venv)$/],
  pipx: [/^run$/, /^(?:install|upgrade|inject)$/],
  go: [/^run$/, /^(?:install|get|mod|build)$/],
  cargo: [/^run$/, /^(?:install|build|fetch)$/],
  dotnet: [/^(?:run|tool)$/, /^(?:restore|build|publish)$/],
};
const containers = /^(?:docker|podman|nerdctl)$/;

/** Maximum number of words of a command line that are examined. */
const maxWords = 12;

/**
 * @param command a command line whose words end with NUL characters, or are separated by spaces and
 * in quotes where they contain some
 */
export function commandKind(command: string): CommandKind {
  const words = wordsIn(command);
  const names = words.map(nameOf);
  if (shells.test(names[0] ?? '')) {
    // Identifies a script by its name. Several commands may follow `-c`; they appear as their own
    // processes.
    const script = names.slice(1).find((_, at) => !/^[-/]\w*$/.test(words[at + 1] ?? ''));
    const isLine = words.slice(1).some((word) => /^(?:-\w*c|\/c)$/i.test(word));
    return isLine || script === undefined ? 'tool' : kindOfNames([script, ...names.slice(2)]);
  }
  const skipped = interpreters.test(names[0] ?? '')
    ? names.slice(1).findIndex((name) => !name.startsWith('-')) + 1
    : 0;
  return kindOfNames(names.slice(skipped));
}

function wordsIn(command: string): readonly string[] {
  const ended = command.split('\0', maxWords).filter((word) => word !== '');
  // A program that sets its title replaces all of its words by one text.
  if (ended.length > 1) return ended;
  const quoted = (ended[0] ?? '').match(/"[^"]*"|[^\s"]+/g) ?? [];
  return quoted.slice(0, maxWords).map((word) => word.replaceAll('"', ''));
}

function kindOfNames([name = '', ...rest]: readonly string[]): CommandKind {
  if (launchers.test(name)) return 'launcher';
  if (installers.test(name)) return 'installer';
  if (tools.test(name)) return 'tool';
  const word = rest.find((one) => !one.startsWith('-')) ?? '';
  if (containers.test(name)) {
    return /^(?:pull|build|load)$/.test(word) ? 'installer' : 'container';
  }
  const [launches, installs] = (Object.hasOwn(managers, name) ? managers[name] : undefined) ?? [];
  if (launches?.test(word) === true) return 'launcher';
  return installs?.test(word) === true ? 'installer' : 'program';
}

function nameOf(word: string): string {
  const name = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
  return name
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|ps1|[cm]?js|py|sh)$/, '')
    .replace(/-cli$/, '');
}

const pullBegins = /^Unable to find image |^Trying to pull |: Pulling from |: Pulling fs layer$/;
const pullEnds =
  /^Status: (?:Downloaded newer image|Image is up to date)|^Writing manifest to image /;

/** Detects from the client's stderr that a container's image is being pulled. */
export class ImagePull {
  #isUnderWay = false;

  get isUnderWay(): boolean {
    return this.#isUnderWay;
  }

  /** Takes a line of stderr: untrusted. */
  take(line: string): void {
    if (pullEnds.test(line)) this.#isUnderWay = false;
    else if (pullBegins.test(line)) this.#isUnderWay = true;
  }
}
