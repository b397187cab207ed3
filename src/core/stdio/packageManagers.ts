/** Role of a command line in an installation. */
export type CommandKind =
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

/** @param command a command line whose words are separated by spaces or NUL characters */
export function commandKind(command: string): CommandKind {
  const words = command.split(/[\s\0"]+/, maxWords).filter((word) => word !== '');
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

function kindOfNames([name = '', ...rest]: readonly string[]): CommandKind {
  if (launchers.test(name)) return 'launcher';
  if (installers.test(name)) return 'installer';
  if (tools.test(name)) return 'tool';
  const word = rest.find((one) => !one.startsWith('-')) ?? '';
  if (containers.test(name)) {
    return /^(?:pull|build|load)$/.test(word) ? 'installer' : 'container';
  }
  const [launches, installs] = managers[name] ?? [];
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
