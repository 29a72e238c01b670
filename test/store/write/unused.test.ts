// The error for deleting a resource that is in use, which names its users.
import { beforeAll, describe, expect, it } from 'vitest';
import { authorizeWorkspace } from '../../../src/auth/authorize.js';
import type { AuthorizedWorkspace } from '../../../src/auth/authorize.js';
import { Prisma } from '../../../src/database/client/client.js';
import { unused } from '../../../src/store/write/unused.js';
import { useApp } from '../../harness.js';
import { northwind } from '../../metering/usage-samples.js';

const running = useApp();
let within: AuthorizedWorkspace;

beforeAll(async () => {
  within = authorizeWorkspace((await northwind(running.app)).ctx, 'admin');
});

const image = { label: 'image', name: 'web' };

describe('The refusal of what is in use', () => {
  it('names who uses it', async () => {
    const users = Prisma.sql`SELECT 'EGRESS_IP' AS "kind", 'one' AS "name"`;
    const refusal = await unused(within, image, users).refuse(new Set());
    expect(refusal).toMatchObject({
      error: 'in_use',
      details: { count: 1, usedBy: [{ kind: 'EGRESS_IP', name: 'one' }] },
    });
    expect(refusal.message).toBe('The image "web" is in use by the egress ip "one".');
  });

  it('is 409 conflict if its users were deleted meanwhile', async () => {
    const nobody = Prisma.sql`SELECT 'AGENT' AS "kind", 'one' AS "name" WHERE FALSE`;
    const refusal = await unused(within, image, nobody).refuse(new Set());
    expect(refusal).toMatchObject({ error: 'conflict', status: 409, details: undefined });
    expect(refusal.message).toBe('The image "web" was in use a moment ago. Try again.');
  });
});
