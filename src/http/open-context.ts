import type { IncomingHttpHeaders } from 'node:http';
import type { Database } from '../database/open.js';
import type { ReadReplica } from '../database/read-replica.js';
import { forbidden } from '../errors.js';
import { isInRanges } from '../auth/address-range.js';
import { ownerOf } from '../auth/authenticate.js';
import type { Authenticator } from '../auth/authenticate.js';
import type { Caller } from '../auth/caller.js';
import { clientAddress } from '../auth/client-address.js';
import { createContext } from '../auth/context.js';
import type { ProcessServices, TransportHooks } from '../auth/context.js';
import type { Api } from '../auth/api.js';
import { idempotencyKeyOf } from '../auth/idempotency-key.js';
import { bearerOf, oneHeader } from '../auth/request-headers.js';
import type { HeaderNames } from '../auth/request-headers.js';
import { viewerLocation } from '../auth/viewer-location.js';
import type { WatchContext } from '../changes/change-hub.js';
import type { WorkContext } from '../lifecycle/work-subscribers.js';
import type { UsageContext } from '../metering/usage-memory.js';
import type { GeolocationHeaders } from '../config/geo-headers.js';

/** The context of a request, with the services of every domain. */
export interface ServiceContext extends WatchContext, UsageContext, WorkContext {}

/** The services of the process that application functions use. */
export interface ApplicationServices
  extends ProcessServices, Pick<ServiceContext, 'changeHub' | 'usageMemory' | 'workSubscribers'> {}

/** The services for creating contexts. */
export interface ContextServices extends ApplicationServices {
  db: Database;
  /** The replica for reading lists and metrics. */
  replica: ReadReplica | undefined;
  authenticator: Authenticator;
  headers: HeaderNames;
  /** The header with the client's network address, in lower case; without it, the connection's address is used. */
  clientAddressHeader: string | undefined;
  geolocation: GeolocationHeaders;
}

/**
 * Authenticates the caller and creates the context of the request.
 *
 * @param connectionAddress the address of the connection; without it a key confined to addresses is rejected.
 * @param api the transport of the request.
 * @param hooksFor what the transport provides for a caller.
 * @throws 400 `invalid_request` for a malformed header; 401 `unauthorized` without a valid credential; 403 `forbidden`
 * for a key confined to other addresses.
 */
export async function openContext(
  services: ContextServices,
  headers: IncomingHttpHeaders,
  requestId: string,
  connectionAddress?: string,
  api?: Api,
  hooksFor?: (caller: Caller) => TransportHooks,
): Promise<ServiceContext> {
  const bearer = bearerOf(services.headers, headers);
  const address = clientAddress(headers, services.clientAddressHeader, connectionAddress);
  const identify = async (isFresh?: boolean): Promise<Caller> => {
    const caller = await services.authenticator.authenticate(bearer, isFresh);
    if (isInRanges(caller.credential.addressRanges ?? [], address)) return caller;
    const kind = caller.executor === undefined ? 'API' : 'executor';
    throw forbidden(`This ${kind} key cannot be used from your IP address.`, ownerOf(caller));
  };
  const caller = await identify();
  const request = {
    caller,
    workspaceName: oneHeader(headers, services.headers.workspace),
    viewerLocation: () => viewerLocation(services.geolocation, headers),
    clientAddress: address,
    requestId,
    api,
    idempotencyKey: idempotencyKeyOf(headers),
    now: services.now,
    encryption: services.encryption,
    inferenceUrl: services.inferenceUrl,
    logsTemplate: services.logsTemplate,
    serviceName: services.serviceName,
    apiKeyLife: services.apiKeyLife,
    platformAccount: services.platformAccount,
    signInProviders: services.signInProviders,
    provisionedDomains: services.provisionedDomains,
    changeHub: services.changeHub,
    egressRules: services.egressRules,
    workSubscribers: services.workSubscribers,
    usageMemory: services.usageMemory,
  };
  const hooks = hooksFor?.(caller);
  return createContext(hooks?.connections ?? services, request, identify, hooks);
}
