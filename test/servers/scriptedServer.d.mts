import type { ReceivedMessage, ScriptedServer } from './scripted';

export interface Server extends ScriptedServer {
  take(message: ReceivedMessage): void;
}
export const Server: new (raw: (text: string) => void) => Server;
