// Usage of all accounts, for the command line and the demo. The API must not import it.
import type { Prisma } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { isResourceId } from '../../schema/resource.js';
import { recordEvents } from '../../metering/usage.js';
import { usagePlace } from '../../metering/usage-place.js';
import type { UsagePlace } from '../../metering/usage-chunk.js';
import type { UsageResult } from '../../metering/usage-result.js';

/** Records events of any account. @returns a result for each event, in order. */
export async function recordUsageOfAll(db: Database, events: readonly unknown[], now: Date): Promise<UsageResult[]> {
  const accounts = await db.account.findMany({ where: accountsOf(events), select: { id: true, name: true } });
  const places = new Map<string, UsagePlace>();
  for (const { id, name } of accounts) {
    const place = usagePlace(db, id);
    if (!places.has(name)) places.set(name, place);
    places.set(id, place);
  }
  return recordEvents(db, events, (account) => places.get(account), now);
}

function accountsOf(events: readonly unknown[]): Prisma.AccountWhereInput {
  const named = new Set<string>();
  for (const event of events) {
    if (typeof event === 'object' && event !== null && 'account' in event && typeof event.account === 'string') {
      if (event.account.length <= 200 && !event.account.includes('\0')) named.add(event.account);
    }
  }
  return { OR: [{ name: { in: [...named] } }, { id: { in: [...named].filter(isResourceId) } }] };
}
