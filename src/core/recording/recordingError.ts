/** What is wrong with a recording: sentences are made by whoever tells. */
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
    /** From 1. */
    readonly line?: number,
  ) {
    super(line === undefined ? code : `${code} in line ${line}`);
    this.name = 'RecordingError';
  }
}
