import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { misspeltSettings, onPort } from '../config.js';
import { hasPlatformAccount, noPlatformAccount } from '../auth/platform-account.js';
import { rotateSigningKeyWhenDue } from '../auth/signing-keys.js';
import { crashMessage } from '../database/embedded.js';
import { openDatabase } from '../database/open.js';
import type { OpenDatabase } from '../database/open.js';
import { createGateway } from './server.js';
import { createMeasurementsServer } from '../telemetry/metrics-server.js';
import { openMetricsExport } from '../telemetry/open-metrics-export.js';
import type { MetricsExportSettings } from '../telemetry/metrics-export.js';
import { openTraces } from '../telemetry/open-traces.js';
import type { TraceSettings } from '../telemetry/traces.js';
import { startDeliveries } from './deliveries.js';
import { createLog, createServices, requireSecrets } from './create-services.js';
import { freePort, listen } from './listen.js';
import type { GraphiqlExamples } from '../api/graphiql/graphiql-examples.js';
import type { Services } from './services.js';
import { version as programVersion } from './version.js';
import { startBackgroundTasks } from './run-background-tasks.js';

/** Maximum time to close the database after the last request (ms). */
const closeMsMax = 3_000;

export interface RunningGateway {
  /** The URL that it listens on, such as http://127.0.0.1:4000. */
  origin: string;
  services: Services;
  /** Shuts down gracefully. A second call returns the same promise. */
  stop: (delayMs: number) => Promise<void>;
}

/** Options of the programs that start the gateway. */
export interface StartOptions {
  /** Runs before the first request, and returns the values of GraphiQL's example queries. */
  prepare?: (services: Services) => Promise<GraphiqlExamples>;
  /** Serves the command line while this process has an embedded database open. */
  openCommandSocket?: (
    path: string,
    services: Services & Pick<OpenDatabase, 'backUp'>,
  ) => Promise<{ close: () => Promise<void> }>;
}

/**
 * Opens and migrates the database, listens, and shuts down gracefully on SIGTERM and SIGINT. Before it listens, either
 * signal or a full disk ends the process immediately.
 *
 * @throws {ConfigError} for an invalid setting, before it listens.
 */
export async function startGateway(
  settings: Config,
  { prepare = async () => ({}), openCommandSocket }: StartOptions = {},
): Promise<RunningGateway> {
  let gateway: RunningGateway | undefined;
  const end = (delayMs: number) => (gateway === undefined ? process.exit() : void gateway.stop(delayMs));
  const config = settings.PORT === 0 ? onPort(settings, await freePort(settings.HOST)) : settings;
  process.once('SIGTERM', () => end(config.SHUTDOWN_DELAY_MS));
  process.once('SIGINT', () => end(0));
  const log = createLog(config.LOG_LEVEL);
  for (const warning of misspeltSettings(process.env)) log.warn(warning);
  const database = await openDatabase(config, {
    onDiskFull: (reason) => {
      log.fatal(reason);
      process.exitCode = 1;
      end(0);
    },
    onCrash: (error) => {
      log.fatal({ err: error }, crashMessage);
      process.exit(1);
    },
    onWait: () => log.warn('waiting for another process that migrates the database'),
    onReplica: (problem, error) =>
      problem === undefined
        ? log.info('reading lists and metrics from the replica')
        : log.warn({ err: error, reason: problem }, 'replica not usable; reading lists and metrics from the primary'),
    onConnectionLost: (error) => log.warn({ err: error }, 'database connection lost'),
  });
  try {
    const services = createServices(
      config,
      database,
      () => new Date(),
      log,
      await openTraces(traceSettings(config), log),
    );
    await requireSecrets(services.db, services.encryption, services.now());
    // The first signing key must be published before the first token is signed with it.
    const published = rotateSigningKeyWhenDue(
      services.db,
      services.encryption,
      services.now(),
      config.SIGNING_KEY_AGE_DAYS_MAX,
    );
    const [examples] = await Promise.all([prepare(services), published]);
    await warnOfMissingPlatformAccount(database, services);
    const { server, drain } = createGateway({ ...services, examples });
    const port = await listen(server, config);
    const metrics = await listenForPrometheus(services, config);
    const metricsExport = await openMetricsExport(metricsSettings(config), services.metrics.registry, log);
    const commandSocket =
      database.adminSocket === undefined
        ? undefined
        : await openCommandSocket?.(database.adminSocket, { ...services, backUp: database.backUp });
    const tasks = startBackgroundTasks({ ...services, db: database.backgroundDb }, config);
    // No other process can open an embedded database.
    const isAlone = database.adminSocket !== undefined;
    const deliveries = startDeliveries(services, database.changesDb, isAlone);
    let stopping: Promise<void> | undefined;
    gateway = {
      origin: `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`,
      services,
      stop: (delayMs) => {
        if (stopping !== undefined) return stopping;
        endLater(delayMs + config.SHUTDOWN_GRACE_MS + closeMsMax, log);
        // Deliveries in flight get the same time as requests. Other processes send the waiting ones.
        stopping = Promise.all([
          drain(delayMs, config.SHUTDOWN_GRACE_MS),
          deliveries.stop(delayMs + config.SHUTDOWN_GRACE_MS),
        ])
          .then(commandSocket?.close)
          .then(tasks.stop)
          .then(services.deniedRequests.close)
          .then(services.lastUses.close)
          .then(services.rateLimits.close)
          .then(() => metrics?.close())
          .then(() => Promise.all([database.close(), services.traces?.close(), metricsExport?.close()]))
          .then(() => log.info('stopped'));
        return stopping;
      },
    };
  } catch (error) {
    // A database that does not respond must not delay the end of the process.
    await Promise.race([database.close().catch(() => undefined), sleep(closeMsMax)]);
    throw error;
  }
  const { version } = gateway.services;
  const kind = config.DATABASE_URL === undefined ? 'embedded' : 'server';
  log.info({ origin: gateway.origin, version, node: process.version, database: kind }, 'listening');
  return gateway;
}

/** Ends the process if the shutdown hangs, for example because the database does not respond. */
function endLater(afterMs: number, log: Logger): void {
  setTimeout(() => {
    log.error('shutdown timed out; exiting with open connections');
    process.exit(1);
  }, afterMs).unref();
}

function traceSettings(config: Config): TraceSettings {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER_ARG: ratio,
    OTEL_SERVICE_NAME: serviceName,
  } = config;
  return { endpoint, ratio, serviceName, version: programVersion };
}

/** Undefined if metrics are not sent. `readConfig()` requires one of the endpoints otherwise. */
function metricsSettings(config: Config): MetricsExportSettings | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: own } = config;
  const url = own ?? (base && `${base}/v1/metrics`);
  if (config.OTEL_METRICS_EXPORTER === 'none' || url === undefined) return undefined;
  const { OTEL_METRIC_EXPORT_INTERVAL: intervalMs, OTEL_SERVICE_NAME: serviceName } = config;
  return { url, intervalMs, serviceName, version: programVersion };
}

/** Serves metrics, if METRICS_PORT is set. */
async function listenForPrometheus(services: Services, config: Config): Promise<Server | undefined> {
  if (config.METRICS_PORT === undefined) return undefined;
  const server = createMeasurementsServer(services.metrics.registry);
  const address = { HOST: config.METRICS_HOST, PORT: config.METRICS_PORT };
  const port = await listen(server, address, { host: 'METRICS_HOST', port: 'METRICS_PORT' });
  services.log.info({ host: config.METRICS_HOST, port }, 'serving metrics at /metrics');
  server.unref();
  return server;
}

/** The gateway starts all the same, because the account can still be created. */
async function warnOfMissingPlatformAccount(database: OpenDatabase, { platformAccount, log }: Services): Promise<void> {
  if (platformAccount === undefined) return;
  try {
    if (await hasPlatformAccount(database, platformAccount)) return;
    log.error(`${noPlatformAccount(platformAccount)}. Until it exists, there are no platform admins.`);
  } catch (error) {
    log.warn({ err: error }, 'cannot read the account of PLATFORM_ACCOUNT');
  }
}
