import { setFlagsFromString } from 'node:v8';
import { readConfig } from './config.js';
import { reportFailure } from './server/failure.js';

// Waiting requests survive collections of young objects. With the default, the heap grows to four times the necessary size.
setFlagsFromString('--heap-growing-percent=40');

try {
  const config = readConfig(process.env);
  // Imported after the settings have been read, because imports take longer.
  const [{ startGateway }, { openAdminSocket }] = await Promise.all([
    import('./server/start.js'),
    import('./cli/socket.js'),
  ]);
  await startGateway(config, { openCommandSocket: openAdminSocket });
} catch (error) {
  reportFailure(error);
}
