// Makes one change in a process of its own, which ends without a word before its n-th statement or, when
// there is none, when the change is done. Run by killed-change.test.ts.
import { createServices, createLog } from '../../src/services.js';
import { readConfig } from '../../src/config.js';
import { openContext } from '../../src/context.js';
import { openDatabase } from '../../src/database/open.js';
import { declineShare } from '../../src/resources/images/image-shares.js';
import { deleteEgressIp } from '../../src/resources/networks/egress-ips.js';
import { deletePreview } from '../../src/resources/sandboxes/previews.js';

const [change = '', statement = '0', key = '', workspace = '', share = ''] = process.argv.slice(2);
const config = readConfig({ ...process.env, LOG_LEVEL: 'silent' });
let left = Number.POSITIVE_INFINITY;
const database = await openDatabase(config, {
  onStatement: () => {
    if (--left < 0) process.kill(process.pid, 'SIGKILL');
  },
});
const services = createServices(config, database, () => new Date(), createLog('silent'));
const ctx = await openContext(services, { authorization: `Bearer ${key}` }, 'test');

const changes: Record<string, () => Promise<unknown>> = {
  preview: () => deletePreview(ctx, { workspace, sandbox: 'one-sandbox', preview: 'one-preview' }),
  ip: () => deleteEgressIp(ctx, { workspace, vpc: 'one-vpc', gateway: 'one-gateway', ip: 'one-ip' }),
  share: () => declineShare(ctx, share),
};
left = Number(statement);
await changes[change]?.();
left = Number.POSITIVE_INFINITY;
process.stdout.write('done');
await database.close();
