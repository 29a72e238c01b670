import type { Config } from '../config.js';
import { demoAccounts, demoOwner, mainWorkspace } from './company.js';
import type { DemoCredentials } from './credentials.js';
import { idOf } from './random.js';
import { dayMs } from './times.js';

/** The text in the terminal: addresses, credentials, and commands to paste. */
export function welcomeText(origin: string, config: Config, now: Date, { key, password }: DemoCredentials): string {
  const { port } = new URL(origin);
  const address = config.HOST === '127.0.0.1' ? `http://localhost:${port}` : origin;
  const name = config.SERVICE_NAME;
  const accountId = idOf(demoAccounts[0]?.name ?? '');
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  const [windowStart, windowEnd] = [today - 6 * dayMs, today + dayMs].map((time) => new Date(time).toISOString());
  const authorization = `-H 'Authorization: Bearer ${key}'`;
  return `
The Workload Control Plane is running, with the platform of a freight company in it.

  Console    ${address}/   (in a browser; one click signs in)
  GraphiQL   ${address}/graphql   (in a browser; the key is filled in)
  GraphQL    ${address}/graphql
  REST       ${address}/v0
  API key    ${key}
  Sign in    ${demoOwner} with ${password}   (in GraphiQL, or with any OAuth client)

Four commands to paste:

  curl -s '${address}/v0/agents?limit=2' ${authorization} -H 'X-${name}-Workspace: ${mainWorkspace}' -H '${name}-Version: 2026-04-28'

  curl -s '${address}/v0/agents?q=invoice&sort=name:asc' ${authorization} -H 'X-${name}-Workspace: ${mainWorkspace}' -H '${name}-Version: 2026-04-28'

  curl -s '${address}/v0/accounts/${accountId}/metrics?startTime=${windowStart}&endTime=${windowEnd}&groupBy=resource_type' ${authorization}

  curl -s ${address}/graphql ${authorization} -H 'Content-Type: application/json' -d '{"query":"{ viewer { name workspaces { name } } agents(first: 3, workspace: \\"${mainWorkspace}\\") { totalCount nodes { metadata { name } status } } }"}'

On the first start, the usage of the past year is loaded during the first seconds.

Press Ctrl-C to stop. The data stays in ${config.DATABASE_URL === undefined ? config.DATA_DIR : 'the database'}.
`;
}
