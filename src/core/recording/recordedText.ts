const maxTextChars = 4_096;

/** True if it can be the path of a recording, or the name of a server in one. */
export function isRecordedText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxTextChars;
}
