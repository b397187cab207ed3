import { exportedServer, isInspectorExport } from './inspectorExport';
import { toMcporterLine } from './mcporterLine';
import { firstCharsOf } from './readRecording';
import { linesOfFile, jsonOfLine } from './recordingLines';
import { readBeginning } from './recordingRows';

/** Where the names of servers are looked for. */
const maxLines = 16_000;
const maxChars = 32 * 1024 * 1024;
const maxServers = 100;

/**
 * The servers whose messages a recording holds, as far as its beginning names them.
 * @throws {RecordingError}
 */
export async function serversOfRecording(file: string): Promise<readonly string[]> {
  // Says of what is no file that it cannot be read, and reads nothing of what is ours but a line.
  const first = await firstCharsOf(file);
  if (isInspectorExport(first)) return [exportedServer(file)];
  const isOfMcporter = toMcporterLine(jsonOfLine(first.split('\n')[0] ?? '')) !== undefined;
  return isOfMcporter ? serversOfMcporter(file) : (await readBeginning(file, maxLines)).servers;
}

async function serversOfMcporter(file: string): Promise<readonly string[]> {
  const servers = new Set<string>();
  let chars = 0;
  for await (const { text, number } of linesOfFile(file)) {
    chars += text.length;
    const line = toMcporterLine(jsonOfLine(text));
    if (line?.to !== undefined) servers.add(line.server);
    if (number === maxLines || chars > maxChars || servers.size === maxServers) break;
  }
  return [...servers];
}
