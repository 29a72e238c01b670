// The error for deleting a resource that is in use, which names its users.
import { beforeAll, describe, expect, it } from 'vitest';
import { authorizeWorkspace } from '../../../src/auth/authorize.js';
import type { AuthorizedWorkspace } from '../../../src/auth/authorize.js';
import { Prisma } from '../../../src/database/client/client.js';
import { requireUnused } from '../../../src/store/write/unused.js';
import { useApp } from '../../harness.js';
import { northwind } from '../../metering/usage-samples.js';

const running = useApp();
let within: AuthorizedWorkspace;

beforeAll(async () => {
  within = authorizeWorkspace((await northwind(running.app)).ctx, 'admin');
});

const image = { label: 'image', name: 'web' };

describe('A resource that is in use', () => {
  it('is not deleted, and the error lists its users', async () => {
    const users = Prisma.sql`SELECT 'EGRESS_IP' AS "kind", 'one' AS "name"`;
    await expect(requireUnused(within, image, users)).rejects.toMatchObject({
      error: 'in_use',
      message: 'The image "web" is in use by the egress IP "one".',
      conflict: { usedByCount: 1, usedBy: [{ kind: 'EGRESS_IP', name: 'one' }] },
    });
  });

  it('can be deleted once nothing uses it', async () => {
    const nobody = Prisma.sql`SELECT 'AGENT' AS "kind", 'one' AS "name" WHERE FALSE`;
    await expect(requireUnused(within, image, nobody)).resolves.toBeUndefined();
  });
});
