import path from 'node:path';
import { Connections } from './connections';

// Started by the test of the stop ladder, which kills it: says the number of its server and stays.
const script = path.join(__dirname, '../servers/scripted.mjs');
void new Connections()
  .toCommand({ command: process.execPath, args: [script], env: {} })
  .then((client) => process.stdout.write(String(client.pid)));
