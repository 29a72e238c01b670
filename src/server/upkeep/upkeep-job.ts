import type { Config } from '../../config.js';
import type { Services } from '../services.js';

export interface UpkeepJob {
  /** As the log names it. */
  name: string;
  /** How long after it began it is begun again; never while it still runs. */
  everyMs: number;
  /** @param stopping tells one that takes long to leave the rest for the next time. */
  run: (services: Services, config: Config, stopping: AbortSignal) => Promise<void>;
}
