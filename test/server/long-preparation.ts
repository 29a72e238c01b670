// A separate process that starts the gateway, and prepares until it is ended.
import { readConfig } from '../../src/config.js';
import { startGateway } from '../../src/server/start.js';

await startGateway(readConfig(process.env), {
  prepare: () => {
    process.stdout.write('preparing');
    // Something to wait for, as a loading demo has.
    return new Promise((resolve) => setTimeout(resolve, 60_000, {}));
  },
});
