import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Tool } from '../../src/core/types';
import type { Server } from '../../src/host/connections/snapshot';
import { Pins, type PinsOptions } from '../../src/host/consent/pins/pins';
import type { StorageProblem } from '../../src/host/storage/recordStore';
import { SharedChanges } from '../../src/host/storage/sharedChanges';
import { serverOf } from './treeFixtures';

/** A folder for pins, and windows that share it. */
export class PinWindows {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'pins-'));
  readonly problems: StorageProblem[] = [];

  /** One window: nothing that it knows is known to another, but for what is in the folder. */
  open(options: Partial<PinsOptions> = {}): Pins {
    const onProblem = (problem: StorageProblem) => void this.problems.push(problem);
    const changes = new SharedChanges(path.join(this.folder, 'changes'));
    return new Pins({ folder: path.join(this.folder, 'pins'), onProblem, changes, ...options });
  }

  /** The one file there is. */
  get file(): string {
    const inside = path.join(this.folder, 'pins');
    const names = readdirSync(inside).filter((name) => name.endsWith('.pins'));
    if (names.length !== 1) throw new Error(`not one file: ${names.join(', ')}`);
    return path.join(inside, names[0] ?? '');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function listOf(tools: readonly Tool[], more: Partial<Server> = {}): Server {
  return serverOf('files', tools, more);
}

/** What a person would see of it: `new a, changed b, gone c`. */
export function marksText(pins: Pins, serverId = 'files'): string {
  const marks = pins.marks(serverId);
  return [
    ...[...marks.new].map((name) => `new ${name}`),
    ...[...marks.changed].map((name) => `changed ${name}`),
    ...marks.gone.map((name) => `gone ${name}`),
  ].join(', ');
}

export async function kindOf(pins: Pins, server: Server, tool: Tool): Promise<string> {
  return (await pins.stateOf(server.config, tool)).kind;
}

/** Accepts everything that is new, changed or removed at a server. */
export async function acceptAll(pins: Pins, server: Server): Promise<void> {
  // Removed tools are known only after a comparison.
  await pins.observe(server);
  const tools = server.tools.map(({ tool }) => tool);
  await pins.acceptChanges(server.config, { tools, gone: pins.marks(server.config.id).gone });
}
