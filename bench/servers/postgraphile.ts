// PostGraphile 5 over the same tables, on the Node that it needs. Its query planner turns a query into one SQL
// statement and hands JSON on. It does less than the control plane on `full`: spec and labels are opaque JSON
// (not checked, not selected from, secrets not masked), url, plan and workspace are left out, nobody is
// authenticated.
import { createServer } from 'node:http';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { postgraphile } from 'postgraphile';
import { jsonPgSmartTags } from 'postgraphile/utils';

const port = Number(process.env['PORT'] ?? 4100);

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
      poolConfig: { max: 10, options: '-c timezone=UTC' },
    }),
  ],
  grafserv: { port, graphqlPath: '/graphql', watch: false, graphiql: false },
  grafast: { explain: false },
};

const instance = postgraphile(preset);
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(port, '127.0.0.1');
