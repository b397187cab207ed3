/** What every measured client offers, ours and the others'. */
export interface Subject {
  listTools(): Promise<readonly unknown[]>;
  callTool(name: string, args: object): Promise<{ content: readonly unknown[] }>;
  /** What calls, keeps and opens what came, where the client is part of a product. */
  opener?(): Promise<(tool: string) => Promise<void>>;
  close(): Promise<void>;
}

export interface SubjectModule {
  connectStdio(command: string, args: readonly string[]): Promise<Subject>;
  connectHttp(url: string): Promise<Subject>;
}
