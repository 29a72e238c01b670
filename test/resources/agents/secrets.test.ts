// The secrets of an agent, and the callers that may read them, through GraphQL and REST.
import { beforeAll, describe, expect, it } from 'vitest';
import { addAgents, anAgent, createKey, createTenant, graphql, rest, useApp } from '../../harness.js';

const running = useApp();
let adminKey: string;
let memberKey: string;
let readOnlyKey: string;
let updatingKey: string;

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  const workspaceId = tenant.workspaces['main'] ?? '';
  ({ key: adminKey } = await createKey(app, tenant));
  ({ key: readOnlyKey } = await createKey(app, { ...tenant, scope: 'agents:list agents:get' }));
  ({ key: updatingKey } = await createKey(app, { ...tenant, scope: 'agents:list agents:get agents:update' }));
  const member = await app.services.db.principal.create({ data: { kind: 'user', name: 'member@example.com' } });
  await app.services.db.accountMember.create({
    data: { accountId: tenant.accountId, principalId: member.id, role: 'member' },
  });
  await app.services.db.workspaceMember.create({ data: { workspaceId, principalId: member.id, role: 'member' } });
  ({ key: memberKey } = await createKey(app, { accountId: tenant.accountId, principalId: member.id }));
  await addAgents(app, workspaceId, [
    anAgent('secretive', {
      spec: {
        runtime: {
          envs: [
            { name: 'TOKEN', value: 'env-secret-value', secret: true },
            { name: 'MODE', value: 'fast', secret: false },
            { name: 'LEVEL', value: '3' },
          ],
        },
        triggers: [
          { id: 'hook', type: 'http-async', configuration: { path: '/hook', callbackSecret: 'callback-secret-value' } },
          { id: 'plain', type: 'http' },
        ],
      },
    }),
  ]);
});

const query = `{
  agents {
    nodes { spec { runtime { envs { name value secret } } triggers { id configuration { callbackSecret } } } }
  }
}`;

/** The agent's spec as one caller gets it: from both versions of REST, and from GraphQL. */
async function specsFor(key: string) {
  const [before, after, graph] = [
    await rest(running.app, '/agents', { key, version: '2026-04-27' }),
    await rest(running.app, '/agents', { key, version: '2026-04-28' }),
    await graphql(running.app, key, query),
  ];
  return [before.body[0].spec, after.body.data[0].spec, graph.body.data.agents.nodes[0].spec];
}

describe('Secrets of an agent', () => {
  it('reads the values of secret variables as ***, also for an admin', async () => {
    for (const spec of await specsFor(adminKey)) {
      expect(spec.runtime.envs[0]).toEqual({ name: 'TOKEN', value: '***', secret: true });
      expect(spec.runtime.envs[1].value).toBe('fast');
      expect(spec.runtime.envs[2].value).toBe('3');
      expect(JSON.stringify(spec)).not.toContain('env-secret-value');
    }
  });

  it('shows a callbackSecret to a workspace admin whose credential may update the agent', async () => {
    for (const spec of [...(await specsFor(adminKey)), ...(await specsFor(updatingKey))]) {
      expect(spec.triggers[0].configuration.callbackSecret).toBe('callback-secret-value');
    }
  });

  it('shows a callbackSecret as *** to a member, and to a read-only credential of an admin', async () => {
    for (const spec of [...(await specsFor(memberKey)), ...(await specsFor(readOnlyKey))]) {
      expect(spec.triggers[0].configuration.callbackSecret).toBe('***');
      expect(JSON.stringify(spec)).not.toContain('callback-secret-value');
    }
  });

  it('records in the change log who read a callbackSecret, and nothing for a response without one', async () => {
    const { services } = running.app;
    await services.deniedRequests.settle();
    await services.db.deniedRequest.deleteMany();
    await services.db.change.deleteMany({ where: { verb: 'read' } });
    const reads = async () => {
      await services.deniedRequests.settle();
      const { body } = await graphql(
        running.app,
        adminKey,
        `
          {
            changes(filter: { actions: [READ] }, first: 10) {
              nodes {
                kind
                action
                name
                message
                count
                client
                requestId
                actor {
                  name
                }
              }
            }
          }
        `,
      );
      return body.data.changes.nodes;
    };
    await specsFor(memberKey);
    await specsFor(readOnlyKey);
    await graphql(
      running.app,
      adminKey,
      '{ agents { nodes { spec { region triggers { id configuration { path } } } } } }',
    );
    expect(await reads()).toEqual([]);
    await graphql(running.app, updatingKey, query);
    const read = {
      kind: 'ACCESS',
      action: 'READ',
      name: 'main/secretive',
      message: 'Read the callback secret of the agent secretive in the workspace main.',
      count: 1,
      requestId: expect.any(String),
      actor: { name: 'owner@northwind.example.com' },
    };
    expect(await reads()).toEqual([{ ...read, client: `api_key ${updatingKey.slice(0, 10)}` }]);
    await rest(running.app, '/agents', { key: adminKey, version: '2026-04-28' });
    expect(await reads()).toHaveLength(2);
  });

  it('stores a callbackSecret encrypted', async () => {
    const row = await running.app.services.db.agent.findFirstOrThrow({ where: { name: 'secretive' } });
    expect(JSON.stringify(row)).not.toContain('callback-secret-value');
  });

  it('does not find an agent by the value of a secret variable', async () => {
    const { body } = await rest(running.app, '/agents?q=env-secret', { key: adminKey, version: '2026-04-28' });
    expect(body.data).toEqual([]);
  });
});
