import type { Figures } from './table';

/** What the extension beside Toolgate does in the extension host when the benchmark asks for it. */
export interface WindowWork {
  /** Begins to look at the turns of the event loop, at timers of 10 ms, and at memory. */
  watch(): Promise<Figures>;
  /** Ends that a moment later; the name is for its CPU profile. */
  watched(name: string): Promise<Figures>;
  /** So many calls through the gate, as `compareGate` makes them. */
  gate(calls: number): Promise<Figures>;
  /** Resolves when these servers are configured, in this order, and no others; with commas between. */
  configured(ids: string): Promise<Figures>;
  /** Resolves when so many servers run and have been listed, with the time. */
  running(count: number): Promise<Figures>;
  /** Starts so many bare pipes to servers, and ends them. */
  bare(count: number): Promise<Figures>;
  /** A call by the API, to its end. */
  call(server: string): Promise<Figures>;
  /** One that its server answers with a flood, which is watched for some seconds; then the server is stopped. */
  flood(server: string): Promise<Figures>;
  /** Lets agents use these servers, with commas between. */
  letIn(servers: string): Promise<Figures>;
  soak(calls: number): Promise<Figures>;
  /** How many calls it has made through the gate. */
  made(): Promise<Figures>;
}
