import { existsSync, readFileSync } from 'node:fs';

const statusFile = '/proc/self/status';

/**
 * The most memory, in bytes, that this process has held at once. On Linux `maxRSS` is not that: a program
 * begins there with the peak of the process that started it.
 */
export function peakMemoryBytes(): number {
  const status = existsSync(statusFile) ? readFileSync(statusFile, 'utf8') : '';
  const kibibytes = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return Number(kibibytes) * 1024;
}
