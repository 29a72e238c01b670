import type { Caller } from './access/caller.js';
import type { Database } from './database/open.js';
import type { Seal } from './seal.js';

/** Everything that an application function may depend on. One is made for each request. */
export interface RequestContext {
  db: Database;
  caller: Caller;
  /** The workspace that the request's header names, if it does (decision 3). */
  workspaceName: string | undefined;
  requestId: string;
  now: () => Date;
  seal: Seal;
  /** The global inference address, without a slash at its end. */
  inferenceUrl: string;
}

/** Makes something once for each request: a loader, mostly. */
export function perRequest<T>(make: (ctx: RequestContext) => T): (ctx: RequestContext) => T {
  const made = new WeakMap<RequestContext, T>();
  return (ctx) => {
    const known = made.get(ctx);
    if (known !== undefined) return known;
    const fresh = make(ctx);
    made.set(ctx, fresh);
    return fresh;
  };
}
