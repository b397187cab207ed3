import { LiveProcesses } from '../../src/core/stdio/stdioProcess';
import { ProcessRecords } from '../../src/host/processes/processRecords';
import { connectStdio } from '../../src/core/stdio/connectStdio';
import path from 'node:path';
import { silentLog } from '../silentLog';

// Started by the test of what dead windows leave, which kills it: runs two servers, one of them
// stubborn, writes them down in the folder of its argument, says their numbers and stays.
const [, , folder = '.'] = process.argv;
const live = new LiveProcesses();
const records = new ProcessRecords({ folder, live, log: silentLog });
const clientInfo = { name: 'doomed', title: 'Doomed', version: '1' };
const script = path.resolve(__dirname, '../servers/steered.mjs');
const start = (mode: string) =>
  connectStdio({
    command: process.execPath,
    args: [script, mode],
    env: {},
    clientInfo,
    log: silentLog,
    processes: live,
  });

void Promise.all([start('stubborn'), start('polite')]).then(async (clients) => {
  await records.written();
  process.stdout.write(clients.map(({ pid }) => pid).join(' '));
});
