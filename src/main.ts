import { readConfig } from './config.js';
import { reportFailure } from './process/failure.js';
import { startGateway } from './process/start.js';

try {
  await startGateway(readConfig(process.env));
} catch (error) {
  reportFailure(error);
}
