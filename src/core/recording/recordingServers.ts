import { exportedServer, isInspectorExport } from './inspectorExport';
import { toMcporterLine } from './mcporterLine';
import { firstCharsOf } from './readRecording';
import { linesOfFile, jsonOfLine } from './recordingLines';
import { isRecordedText } from './recordedText';
import { readBeginning } from './recordingRows';

/** Limits the lines that are searched for server names. */
const maxLines = 16_000;
const maxChars = 32 * 1024 * 1024;
/** Parsing this much causes no noticeable pause. */
const maxParsedChars = 256 * 1024;
const maxServers = 100;

/**
 * Returns the servers in the beginning of a recording whose names can be stored.
 * @throws {RecordingError}
 */
export async function serversOfRecording(file: string): Promise<readonly string[]> {
  return (await namedIn(file)).filter(isRecordedText);
}

async function namedIn(file: string): Promise<readonly string[]> {
  // Rejects files that cannot be read. For our own format it reads only a line.
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
    const line = text.length > maxParsedChars ? undefined : toMcporterLine(jsonOfLine(text));
    if (line?.to !== undefined && isRecordedText(line.server)) servers.add(line.server);
    if (number === maxLines || chars > maxChars || servers.size === maxServers) break;
  }
  return [...servers];
}
