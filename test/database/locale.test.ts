// A server with a Turkish locale, in which the upper case of "timeout" is "TİMEOUT", and the lower case of "INVITATION" is
// "ınvıtatıon".
import { randomUUID } from 'node:crypto';
import { describe, expect, inject, it } from 'vitest';
import { makeDeliveries, readWork } from '../../src/webhooks/delivery-work.js';
import { takeWebhooks } from '../../src/webhooks/webhook-lease.js';
import { isEmbedded } from '../database-kind.js';
import { addAgents, anAgent, createKey, createTenant, graphql, withDatabase } from '../harness.js';
import type { TestApp } from '../harness.js';
import { mutate } from '../resources/mutations.js';
import { onServer } from './on-server.js';

/** Runs an action in a new database of the server with this locale. */
async function inTurkish(act: (app: TestApp) => Promise<void>): Promise<void> {
  const template = inject('template');
  if ('folder' in template) throw new Error('there is no server');
  const name = `${template.database}_turkish`;
  await onServer(template.server, `CREATE DATABASE ${name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'tr'`);
  const address = new URL(template.server);
  address.pathname = `/${name}`;
  try {
    await withDatabase(
      { DATABASE_URL: address.href, SERVICE_SECRETS: 'a secret of the tests that is long enough' },
      act,
    );
  } finally {
    await onServer(template.server, `DROP DATABASE ${name} WITH (FORCE)`);
  }
}

describe.skipIf(isEmbedded)('With the locale of Turkish', () => {
  it('states, groups and types of events are the values of the API', async () => {
    await inTurkish(async (app) => {
      const { db } = app.services;
      expect(await db.$queryRaw`SELECT upper('timeout') AS "folded"`).toEqual([{ folded: 'TİMEOUT' }]);
      const tenant = await createTenant(app, { account: 'acme', workspaces: ['main'] });
      const { key } = await createKey(app, tenant);
      await addAgents(app, tenant.workspaces['main'], [
        anAgent('one', { status: 'FAILED', spec: { runtime: { generation: 'mk3' } } }),
      ]);
      await mutate(app, key, 'createJob', '__typename', { workspace: 'main', metadata: { name: 'import' } });
      const { jobExecution } = await mutate(app, key, 'runJob', 'jobExecution { metadata { id } }', { name: 'import' });
      await db.jobExecution.update({
        where: { id: jobExecution.metadata.id },
        data: { status: 'timeout', completedAt: app.clock.now },
      });
      const { body } = await graphql(
        app,
        key,
        `
          {
            workspace(name: "main") {
              agentCounts(by: STATUS) {
                value
              }
              generations: agentCounts(by: GENERATION) {
                value
              }
              overview {
                kinds {
                  kind
                  states {
                    value
                  }
                }
                failures {
                  newest {
                    status
                  }
                }
              }
            }
            job(name: "import") {
              executionCounts {
                value
              }
            }
          }
        `,
      );
      expect(body.errors).toBeUndefined();
      const { agentCounts, generations, overview } = body.data.workspace;
      expect([agentCounts, generations]).toEqual([[{ value: 'FAILED' }], [{ value: 'MK3' }]]);
      expect(body.data.job.executionCounts).toEqual([{ value: 'TIMEOUT' }]);
      const states = overview.kinds.flatMap((each: { states: { value: string }[] }) => each.states);
      expect(states.map(({ value }: { value: string }) => value)).toContain('TIMEOUT');
      const failed = overview.failures.newest.map(({ status }: { status: string }) => status);
      expect(failed.toSorted()).toEqual(['FAILED', 'TIMEOUT']);
      const webhook = { name: 'hook', url: 'https://example.com/in', filter: { kinds: ['INVITATION'] } };
      await mutate(app, key, 'createWebhook', '__typename', webhook);
      await mutate(app, key, 'inviteMember', '__typename', { email: `${randomUUID()}@example.com`, role: 'MEMBER' });
      const [lease] = (await takeWebhooks(db, 1, [], [])).leases;
      if (lease === undefined) throw new Error('there is no lease');
      const work = await readWork(db, lease, []);
      if (work !== undefined) await makeDeliveries(db, lease, work.webhook, app.clock.now);
      expect(await db.webhookDelivery.findMany()).toMatchObject([{ eventType: 'invitation.created' }]);
    });
  }, 60_000);
});
