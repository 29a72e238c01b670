import type { GraphqlServices } from '../api/graphql/server/graphql-services.js';
import type { OauthServices } from '../api/oauth/exchange.js';
import type { Check } from '../http/readiness.js';
import type { EgressSettings } from '../webhooks/egress.js';
import type { LastUses } from '../auth/last-uses.js';
import type { TaskRecord } from './task-record.js';

/** Everything that exists once per process. The start creates it. */
export interface Services extends GraphqlServices, OauthServices {
  /** The version of this program. */
  version: string;
  /** Records the last uses of API keys. */
  lastUses: LastUses;
  /** When the background tasks last succeeded. */
  taskRecord: TaskRecord;
  /** API version of requests that name none. */
  defaultVersion: string;
  /** How webhooks reach their endpoints. */
  egressRules: EgressSettings;
  /** The checks of readiness. */
  checks: readonly Check[];
  examples: GraphqlServices['examples'];
}
