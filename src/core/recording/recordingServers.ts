import { exportedServer, isInspectorExport } from './inspectorExport';
import { toMcporterLine } from './mcporterLine';
import { firstCharsOf } from './readRecording';
import { linesOfFile, jsonOfLine } from './recordingLines';
import { isRecordedText } from './recordedText';
import { readBeginning } from './recordingRows';

/** Where the names of servers are looked for. */
const maxLines = 16_000;
const maxChars = 32 * 1024 * 1024;
/** What is parsed without a pause that anybody feels. */
const maxParsedChars = 256 * 1024;
const maxServers = 100;

/**
 * The servers whose messages a recording holds, as far as its beginning names them, and their names
 * can be kept.
 * @throws {RecordingError}
 */
export async function serversOfRecording(file: string): Promise<readonly string[]> {
  return (await namedIn(file)).filter(isRecordedText);
}

async function namedIn(file: string): Promise<readonly string[]> {
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
    const line = text.length > maxParsedChars ? undefined : toMcporterLine(jsonOfLine(text));
    if (line?.to !== undefined && isRecordedText(line.server)) servers.add(line.server);
    if (number === maxLines || chars > maxChars || servers.size === maxServers) break;
  }
  return [...servers];
}
