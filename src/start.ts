import { once } from 'node:events';
import type { Server } from 'node:http';
import { openAdminSocket } from './admin/socket.js';
import type { Config } from './config.js';
import { ConfigError } from './config.js';
import type { GraphiqlExamples, Services } from './context.js';
import { openDatabase } from './database/open.js';
import { createGateway } from './server.js';
import { startUpkeep } from './upkeep.js';
import { createLog, createServices, tokenSettings } from './services.js';

export interface RunningGateway {
  /** Where it listens, such as http://127.0.0.1:4000. */
  origin: string;
  services: Services;
  /** Finishes what is in flight, closes the database. Asking twice is the same as asking once. */
  stop: (delayMs: number) => Promise<void>;
}

/**
 * Opens the database, brings it up to date, listens, and stops in good order on SIGTERM and SIGINT.
 *
 * @param prepare runs before the first request, and says what GraphiQL opens with.
 */
export async function startGateway(
  config: Config,
  prepare: (services: Services) => Promise<GraphiqlExamples> = async () => ({}),
): Promise<RunningGateway> {
  const log = createLog(config.LOG_LEVEL);
  const database = await openDatabase(config, {
    onDiskFull: (reason) => {
      log.fatal(reason);
      process.exitCode = 1;
      void gateway?.stop(0);
    },
  });
  let gateway: RunningGateway | undefined;
  try {
    const services = createServices(config, database, () => new Date(), log);
    const { server, drain } = createGateway({ ...services, examples: await prepare(services) });
    const port = await listen(server, config);
    const adminSocket =
      database.adminSocket === undefined
        ? undefined
        : await openAdminSocket(database.adminSocket, { ...services, tokens: tokenSettings(config) });
    const upkeep = startUpkeep(services, config);
    let stopping: Promise<void> | undefined;
    gateway = {
      origin: `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`,
      services,
      stop: (delayMs) => {
        stopping ??= drain(delayMs, config.SHUTDOWN_GRACE_MS)
          .then(adminSocket?.close)
          .then(upkeep.stop)
          .then(database.close);
        return stopping;
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
  const { stop, origin } = gateway;
  process.once('SIGTERM', () => void stop(config.SHUTDOWN_DELAY_MS).then(() => log.info('stopped')));
  process.once('SIGINT', () => void stop(0).then(() => log.info('stopped')));
  log.info({ origin }, 'listening');
  return gateway;
}

async function listen(server: Server, config: Config): Promise<number> {
  server.listen(config.PORT, config.HOST);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') throw new ConfigError(`PORT: ${config.PORT} on ${config.HOST} is in use already`);
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new ConfigError(`HOST, PORT: cannot listen on ${config.HOST}:${config.PORT} (${String(code)})`);
    }
    throw error;
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : config.PORT;
}
