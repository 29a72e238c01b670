import { readConfig } from './config.js';
import { reportFailure } from './failure.js';
import { startGateway } from './start.js';

try {
  await startGateway(readConfig(process.env));
} catch (error) {
  reportFailure(error);
}
