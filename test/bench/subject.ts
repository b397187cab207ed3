/** What every measured client offers, ours and the others'. */
export interface Subject {
  listTools(): Promise<readonly unknown[]>;
  callTool(name: string, args: Record<string, unknown>): Promise<{ content: readonly unknown[] }>;
  close(): Promise<void>;
}

/** A client that is part of a product. */
export interface OpeningSubject {
  /** Calls, keeps and opens what came. */
  open(tool: string): Promise<void>;
  close(): Promise<void>;
}

export interface SubjectModule {
  connectStdio(command: string, args: readonly string[]): Promise<Subject | OpeningSubject>;
  connectHttp(url: string): Promise<Subject | OpeningSubject>;
}

/** For the SDKs, whose defaults refuse a line of 64 MiB, and give up on it where the machine is busy. */
export const sdkBufferBytes = 256 * 1024 * 1024;
export const patient = { timeout: 300_000 };
