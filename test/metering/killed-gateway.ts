// A gateway that records usage over HTTP until it is killed before its n-th statement. Run by killed-gateway.test.ts.
import { once } from 'node:events';
import { createGateway } from '../../src/server/server.js';
import { openMortalProcess } from '../mortal-process.js';

const [key = '', statements = ''] = process.argv.slice(2);
const { services, dieAfter } = await openMortalProcess(key);
const { server } = createGateway(services);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
dieAfter(Number(statements));
process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : 0}\n`);
