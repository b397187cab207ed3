import type { EndedCall, RunningCall } from '../../host/calls/runningCall';
import { quoted } from '../format/sentences';
import { toolTitle } from '../format/toolTitle';

type AnyCall = RunningCall | EndedCall;

/** Returns the title of the tool of a call. */
export function callTitle({ entry, tool }: AnyCall): string {
  return (entry && toolTitle(entry.tool)) || quoted(tool);
}

export function callServer({ config, server }: AnyCall): string {
  return quoted(config?.label ?? server);
}
