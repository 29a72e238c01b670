// Services of the process that every transport uses. They are created once, at the start of the process.
import type { Logger } from 'pino';
import type { TokenSettings } from '../auth/access-token.js';
import type { ContextServices } from './open-context.js';
import type { OpenDatabase } from '../database/open.js';
import type { DeniedRequests } from '../changes/denied-requests/denied-requests.js';
import type { AccessLogChoice } from '../telemetry/access-log.js';
import type { ProcessMetrics } from '../telemetry/process-metrics.js';
import type { Traces } from '../telemetry/traces.js';
import type { Admission } from './admission.js';
import type { CorsSettings } from './cors.js';
import type { RateLimits } from './rate-limits.js';
import type { StreamLimits } from './stream-limits.js';

export interface TransportServices extends ContextServices {
  /** The database and the replica for one request, which gets its fair share of the connections. */
  databaseFor: OpenDatabase['forUser'];
  /** Limits how many requests run at a time, fairly between accounts. */
  admission: Admission;
  rateLimits: RateLimits;
  /** Limits how many streams an account keeps open. */
  streamLimits: StreamLimits;
  metrics: ProcessMetrics;
  http: HttpSettings;
  log: Logger;
  /** Records denied requests in the change log. */
  deniedRequests: DeniedRequests;
  /** Undefined without an OpenTelemetry collector. */
  traces: Traces | undefined;
  /** The URL by which clients reach this service. */
  publicUrl: string;
  /** The issuer and audience of access tokens. */
  tokens: TokenSettings;
}

export interface HttpSettings {
  /** How long an idle connection is kept open. */
  keepAliveMs: number;
  /** How long a connection is kept open if the client neither sends nor reads. */
  stalledMsMax: number;
  /** Interval of the heartbeats on an idle stream. */
  heartbeatMs: number;
  cors: CorsSettings;
  accessLog: { choice: AccessLogChoice; slowMs: number };
}
