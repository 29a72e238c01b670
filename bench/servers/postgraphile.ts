// PostGraphile 5 over the same tables, on Node 22, which it requires. Its query planner turns a query into one SQL statement
// and passes JSON on. It does less than the control plane on `full`: spec and labels are opaque JSON (no selection, secrets not
// masked), and url, plan and workspace are missing. With CHECKS=on it looks up the API key (caller.ts) and limits the rate of
// requests; it has no limit of depth or cost.
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import pg from 'pg';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { postgraphile } from 'postgraphile';
import { jsonPgSmartTags } from 'postgraphile/utils';
import { checksCallers, workspaceOf } from './caller.js';

const port = Number(process.env['PORT'] ?? 4100);

const callers = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 1 });
const rates = new RateLimiterMemory({ points: 1_000_000, duration: 60 });

/** Checks the caller of a request. PostGraphile's own pool has all connections but one. */
async function check({ node }: { node?: { req: IncomingMessage } }): Promise<object> {
  if (!checksCallers || node === undefined) return {};
  const { headers } = node.req;
  await rates.consume(headers.authorization ?? '');
  const workspace = await workspaceOf(callers, headers);
  if (workspace === undefined) throw new Error('unauthorized');
  return { pgSettings: { 'app.workspace_id': workspace.id } };
}

const preset = {
  extends: [PostGraphileAmberPreset],
  plugins: [
    // Events belong to resources of any kind, so the database has no foreign key that says so.
    jsonPgSmartTags({
      version: 1,
      config: { class: { change: { tags: { foreignKey: '(resource_id) references agent (id)' } } } },
    }),
  ],
  pgServices: [
    makePgService({
      connectionString: process.env['DATABASE_URL'] ?? '',
      schemas: ['public'],
      poolConfig: { max: checksCallers ? 9 : 10, options: '-c timezone=UTC' },
    }),
  ],
  grafserv: { port, graphqlPath: '/graphql', watch: false, graphiql: false },
  grafast: { explain: false, context: check },
};

const instance = postgraphile(preset);
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(port, '127.0.0.1');
