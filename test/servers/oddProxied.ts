import { useEnvironmentProxies } from '../../src/cli/environmentProxies';
import { clients, type Use } from '../core/oddClients';
import { verdict } from '../core/oddTable';

// A process whose environment names a proxy: one of the clients uses the server at an address, and the
// verdict is printed. Ours begins as the command line does.

const [name = '', url = ''] = process.argv.slice(2);
useEnvironmentProxies(process.env);
const use = new Map<string, Use>(Object.entries(clients)).get(name);
const said =
  use === undefined ? Promise.resolve('no such client') : verdict(use({ kind: 'http', url }));
void said.then((words) => process.stdout.write(words, () => process.exit()));
