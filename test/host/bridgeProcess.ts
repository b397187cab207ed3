import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { BridgeCommand } from './agentClients';

/** A bridge as a program of its own, whose agent says hello and then is a raw line of JSON each. */
export function startBridge({ command, args, cwd }: BridgeCommand, capabilities: object = {}) {
  const child = spawn(command, args, { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line));
  let id = 0;
  const send = (method: string, params: object, isRequest: boolean): void => {
    const head = isRequest ? { jsonrpc: '2.0', id: ++id } : { jsonrpc: '2.0' };
    child.stdin.write(`${JSON.stringify({ ...head, method, params })}\n`);
  };
  const clientInfo = { name: 'raw', version: '1' };
  send('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo }, true);
  send('notifications/initialized', {}, false);
  return {
    /** Every line that came, oldest first. */
    said: said as readonly string[],
    call: (name: string, given: Readonly<Record<string, unknown>>): void =>
      send('tools/call', { name, arguments: given }, true),
    kill: (): void => void child.kill('SIGKILL'),
  };
}
