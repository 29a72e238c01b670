import { setFlagsFromString } from 'node:v8';
import { openAdminSocket } from './cli/socket.js';
import { readConfig } from './config.js';
import { reportFailure } from './server/failure.js';
import { startGateway } from './server/start.js';

// Waiting requests survive collections of young objects. With the default, the heap grows to four times the necessary size.
setFlagsFromString('--heap-growing-percent=40');

try {
  await startGateway(readConfig(process.env), { openCommandSocket: openAdminSocket });
} catch (error) {
  reportFailure(error);
}
