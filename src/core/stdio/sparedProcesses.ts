import { forEachOf, type ProcFacts, procText } from './procFs';

/** Of a program that shows windows; one that was linked otherwise is not known as one. */
const windowLibrary =
  /\/lib(?:X11|xcb|wayland-client|gtk-[34]|gdk-[34]|Qt[56]Gui|SDL2?-[\d.]+)[.-]/;
/** How programs steer a browser that nobody looks at. */
const automation =
  /(?:^|\0)--?(?:headless|remote-debugging-(?:port|pipe)|enable-automation|marionette|juggler)/;

const maxMapBytes = 4 * 1024 * 1024;
const maxArgumentBytes = 64 * 1024;

/**
 * Those of the processes that a person may be using, though a server started them: with a terminal
 * that is open, or with windows (a browser, an editor) and not steered by a program; and ourselves,
 * who may have been started by a server of another window; and what belongs to those, above and below. Who ends them ends somebody's work.
 */
export async function sparedOf(processes: readonly ProcFacts[]): Promise<ReadonlySet<number>> {
  const byPid = new Map(processes.map((facts) => [facts.pid, facts]));
  const automated = new Set(
    await forEachOf([...byPid.keys()], async (pid) =>
      automation.test(await procText(pid, 'cmdline', maxArgumentBytes)) ? pid : undefined,
    ),
  );
  const used = await forEachOf([...byPid.keys()], async (pid) => {
    if (pid === process.pid || byPid.get(pid)?.hasTerminal === true) return pid;
    if (linesOf(pid, byPid).some((one) => automated.has(one))) return undefined;
    return windowLibrary.test(await procText(pid, 'maps', maxMapBytes)) ? pid : undefined;
  });
  return related(new Set(used), byPid);
}

/** The process and those above it that are known. */
function linesOf(pid: number, byPid: ReadonlyMap<number, ProcFacts>): readonly number[] {
  const line = new Set<number>();
  for (let at = byPid.get(pid); at !== undefined && !line.has(at.pid); at = byPid.get(at.parent)) {
    line.add(at.pid);
  }
  return [...line];
}

/** With all that is above or below one of them, or shares its session. */
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
