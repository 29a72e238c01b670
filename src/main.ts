import { setFlagsFromString } from 'node:v8';
import { openAdminSocket } from './cli/socket.js';
import { readConfig } from './config.js';
import { reportFailure } from './server/failure.js';
import { startGateway } from './server/start.js';

// Requests that wait outlive a collection of young objects; left alone, four times as much as is needed gathers of them.
setFlagsFromString('--heap-growing-percent=40');

try {
  await startGateway(readConfig(process.env), { openCommandSocket: openAdminSocket });
} catch (error) {
  reportFailure(error);
}
