import type { Caller } from './caller.js';
import { createContext } from './context.js';
import type { ProcessServices, RequestContext } from './context.js';
import type { Database } from '../database/open.js';
import type { GeolocationHeaders } from '../config/geo-headers.js';
import { unauthorized } from '../errors.js';
import type { Session } from './sign-in/browser-session.js';
import { viewerLocation } from './viewer-location.js';

/**
 * Creates the context of a user signed in to a browser, for the user's own pages. It gives access to the user's own
 * data and to no account or workspace, which need a credential.
 */
export function sessionContext(
  services: ProcessServices & { db: Database; geolocation: GeolocationHeaders },
  session: Session,
  visitor: { address: string; requestId: string },
): RequestContext {
  const { id, name, displayName } = session.principal;
  const caller: Caller = {
    principal: { id, kind: 'user', name, displayName: displayName ?? undefined },
    credential: { kind: 'session', id: session.id, label: 'browser', expiresAt: undefined },
    scopes: new Set(['admin']),
    accounts: [],
    confinedTo: undefined,
    workspaces: new Map(),
    addWorkspace: () => {},
    forget: () => {},
  };
  const request = {
    ...services,
    caller,
    workspaceName: undefined,
    viewerLocation: () => viewerLocation(services.geolocation, {}),
    clientAddress: visitor.address,
    requestId: visitor.requestId,
    api: 'oauth' as const,
    idempotencyKey: undefined,
  };
  return createContext({ db: services.db, replica: undefined }, request, () => {
    throw unauthorized('A browser session cannot open subscriptions. Use an access token.');
  });
}
