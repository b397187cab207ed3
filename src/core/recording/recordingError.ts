/** A problem of a recording. The caller makes the message. */
export class RecordingError extends Error {
  constructor(
    readonly code:
      | 'unreadable'
      | 'tooLarge'
      | 'noRecording'
      | 'brokenExport'
      | 'otherVersion'
      | 'badLine'
      | 'tooManyLines',
    /** Counted from 1. */
    readonly line?: number,
  ) {
    super(line === undefined ? code : `${code} in line ${line}`);
    this.name = 'RecordingError';
  }
}
