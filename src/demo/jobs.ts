import type { JobInput } from '../resources/jobs/job-input.js';
import { companyOf, openRegions } from './company.js';
import { eventsOf } from './events.js';
import { createRandom, idOf } from './random.js';
import { statusAt } from './status.js';
import { livedSince, madeBy } from './times.js';

const batches = [
  ['tariff-import', 'Tariff import', 'border-crossing'],
  ['invoice-export', 'Invoice export', 'billing'],
  ['container-positions', 'Container positions', 'yard'],
  ['demurrage-run', 'Demurrage run', 'billing'],
  ['carrier-scorecard', 'Carrier scorecard', 'procurement'],
  ['claims-archive', 'Claims archive', 'risk'],
  ['route-reindex', 'Route reindex', 'planning'],
  ['crew-roster', 'Crew roster', 'people'],
  ['port-schedule-sync', 'Port schedule sync', 'planning'],
  ['customs-filing', 'Customs filing', 'border-crossing'],
  ['bill-of-lading-ocr', 'Bill of lading OCR', 'documents'],
  ['rate-card-refresh', 'Rate card refresh', 'procurement'],
  ['dangerous-goods-audit', 'Dangerous goods audit', 'risk'],
  ['support-digest', 'Support digest', 'customer-care'],
  ['warehouse-count', 'Warehouse count', 'yard'],
] as const;

/** Jobs of one workspace. The same arguments give the same jobs. */
export function demoJobs(workspace: string, count: number, end: Date): JobInput[] {
  return batches.slice(0, count).map(([name, displayName, team], index): JobInput => {
    const random = createRandom(`${workspace} job ${name}`);
    const lived = livedSince(random, end, 250, 41);
    const status = statusAt(index, random);
    return {
      id: idOf(`${workspace}/jobs/${name}`),
      metadata: { name, displayName, labels: { team, schedule: 'daily' }, ...madeBy(random, workspace, lived) },
      status,
      spec: {
        enabled: status !== 'DEACTIVATED',
        region: random.pick(openRegions),
        runtime: {
          generation: 'mk2',
          image: `registry.${companyOf(workspace).domain}/jobs/${name}:r${random.below(30) + 1}`,
          memory: random.pick([1024, 2048, 4096]),
          envs: [
            { name: 'BATCH_SIZE', value: String(random.pick([100, 500, 2000])) },
            { name: 'LEDGER_TOKEN', value: `led-${idOf(name).slice(0, 12)}`, secret: true },
          ],
        },
        parallelism: random.pick([1, 2, 4, 8]),
        maxRetries: random.pick([0, 1, 3]),
        timeout: random.pick([900, 1800, 3600]),
      },
      events: eventsOf(status, lived.createdAt, lived.updatedAt, 'r1', undefined),
    };
  });
}
