/** What every measured client offers, ours and the others'. */
export interface Subject {
  listTools(): Promise<readonly unknown[]>;
  callTool(name: string, args: object): Promise<{ content: readonly unknown[] }>;
  close(): Promise<void>;
}

export interface SubjectModule {
  connectStdio(command: string, args: readonly string[]): Promise<Subject>;
  connectHttp(url: string): Promise<Subject>;
}
