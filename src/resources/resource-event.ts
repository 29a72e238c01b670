import type { RequestContext } from '../context.js';
import type { Database } from '../database/open.js';
import type { CoreEvent } from './resource.js';

/** Records what the caller did to a resource, and when. */
export async function recordEvent(
  tx: Pick<Database, 'coreEvent'>,
  ctx: RequestContext,
  resourceId: string,
  event: { type: string; status: string; verb: string },
): Promise<CoreEvent> {
  const time = ctx.now();
  const { type, status } = event;
  const message = `${event.verb} by ${ctx.caller.principal.name}`;
  await tx.coreEvent.create({ data: { resourceId, time, type, status, message } });
  return { time: time.toISOString(), type, status, message };
}
