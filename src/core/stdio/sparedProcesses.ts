import { mapProcesses, type ProcFacts, procText } from './procFs';

/**
 * Matches the libraries of a program that shows windows; programs linked otherwise are not
 * recognized.
 */
const windowLibrary =
  /\/lib(?:X11|xcb|wayland-client|gtk-[34]|gdk-[34]|Qt[56]Gui|SDL2?-[\d.]+)[.-]/;
/** Matches the arguments that put a browser under the control of a program. */
const automation =
  /(?:^|\0)--?(?:headless|remote-debugging-(?:port|pipe)|enable-automation|marionette|juggler)/;

const maxMapBytes = 4 * 1024 * 1024;
const maxArgumentBytes = 64 * 1024;

/**
 * Returns the processes that the user may be using although a server started them: those with an
 * open terminal, or with windows (a browser, an editor) unless a program controls them; this
 * process itself, because a server of another window may have started it; and their ancestors and
 * descendants. Killing them would destroy the user's work.
 */
export async function processesToSpare(
  processes: readonly ProcFacts[],
): Promise<ReadonlySet<number>> {
  const byPid = new Map(processes.map((facts) => [facts.pid, facts]));
  const automated = new Set(
    await mapProcesses([...byPid.keys()], async (pid) =>
      automation.test(await procText(pid, 'cmdline', maxArgumentBytes)) ? pid : undefined,
    ),
  );
  const used = await mapProcesses([...byPid.keys()], async (pid) => {
    if (pid === process.pid || byPid.get(pid)?.hasTerminal === true) return pid;
    if (linesOf(pid, byPid).some((one) => automated.has(one))) return undefined;
    return windowLibrary.test(await procText(pid, 'maps', maxMapBytes)) ? pid : undefined;
  });
  return related(new Set(used), byPid);
}

/** Returns the process and its known ancestors. */
function linesOf(pid: number, byPid: ReadonlyMap<number, ProcFacts>): readonly number[] {
  const line = new Set<number>();
  for (let at = byPid.get(pid); at !== undefined && !line.has(at.pid); at = byPid.get(at.parent)) {
    line.add(at.pid);
  }
  return [...line];
}

/** Adds all ancestors and descendants, and the processes of the same session. */
function related(
  used: ReadonlySet<number>,
  byPid: ReadonlyMap<number, ProcFacts>,
): ReadonlySet<number> {
  const spared = new Set([...used].flatMap((pid) => linesOf(pid, byPid)));
  const sessions = new Set([...used].map((pid) => byPid.get(pid)?.session));
  for (const { pid, session } of byPid.values()) {
    const isBelow = linesOf(pid, byPid).some((one) => used.has(one));
    if (isBelow || sessions.has(session)) spared.add(pid);
  }
  return spared;
}
