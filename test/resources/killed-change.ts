// Makes one change in a process of its own, which ends without a word before its n-th statement or, when
// there is none, when the change is done. Run by killed-change.test.ts.
import { declineShare } from '../../src/resources/images/image-shares.js';
import { deleteEgressIp } from '../../src/resources/networks/egress-ips.js';
import { deletePreview } from '../../src/resources/sandboxes/previews.js';
import { openMortalProcess } from '../mortal-process.js';

const [change = '', statement = '0', key = '', workspace = '', share = ''] = process.argv.slice(2);
const { ctx, database, dieAfter } = await openMortalProcess(key);

const changes: Record<string, () => Promise<unknown>> = {
  preview: () => deletePreview(ctx, { workspace, sandbox: 'one-sandbox', preview: 'one-preview' }),
  ip: () => deleteEgressIp(ctx, { workspace, vpc: 'one-vpc', gateway: 'one-gateway', ip: 'one-ip' }),
  share: () => declineShare(ctx, share),
};
dieAfter(Number(statement));
await changes[change]?.();
dieAfter(Number.POSITIVE_INFINITY);
process.stdout.write('done');
await database.close();
