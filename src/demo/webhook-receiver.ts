// The receiver of the demo's webhooks, on the local machine only: no request leaves it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Config } from '../config.js';
import type { Encryption } from '../encryption.js';
import type { Database } from '../database/open.js';
import { urlColumns } from '../webhooks/webhook.js';
import { platformAccount } from './company.js';
import { idOf } from './random.js';
import { absentReceiver, demoWebhooks } from './webhooks.js';

const address = '127.0.0.1';

/** The settings under which webhooks can reach the receiver. */
export const receiverSettings = { WEBHOOK_HTTP: 'on', WEBHOOK_ALLOWED_NETWORKS: `${address}/32` };

/** Starts the receiver on a free port, and points the webhooks of the demo to it. */
export async function startWebhookReceiver(
  { db, encryption }: { db: Database; encryption: Encryption },
  { HOST: host }: Pick<Config, 'HOST'>,
): Promise<void> {
  // A gateway that others reach must not send requests to this machine.
  if (host !== address && host !== 'localhost') return;
  const server = createServer((request, response) => {
    request.resume();
    const failure = demoWebhooks.find(({ path }) => path === request.url)?.failure;
    response.writeHead(failure?.statusCode ?? 204, failure && { 'content-type': 'application/json' });
    response.end(failure?.answer);
  });
  server.listen(0, address);
  await once(server, 'listening');
  server.unref();
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return;
  // A user may have changed the URL.
  const isOwn = { OR: [absentReceiver, `http://${address}:`].map((start) => ({ origin: { startsWith: start } })) };
  for (const { name, path } of demoWebhooks) {
    for (const { id } of await db.webhook.findMany({ where: { accountId: idOf(platformAccount), name, ...isOwn } }))
      await db.webhook.update({
        where: { id },
        data: urlColumns(encryption, id, `http://${address}:${bound.port}${path}`),
      });
  }
}
