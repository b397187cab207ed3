import { Connections } from './connections';

// Started by the test of the stop ladder, which kills it: says the number of its server and stays.
void new Connections()
  .to(() => undefined)
  .then((client) => process.stdout.write(String(client.pid)));
