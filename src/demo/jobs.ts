import { jobInput } from './rows/job-input.js';
import type { JobInput } from './rows/job-input.js';
import { madeBy } from './actors.js';
import { documentsOf } from './documents.js';
import { eventsOf } from './events.js';
import { createRandom, idOf } from './random.js';
import { statusOf } from './status.js';
import { livedAs, livedSince } from './times.js';

/** The jobs of one workspace with their state. The same arguments return the same jobs. */
export function demoJobs(workspace: string, end: Date): JobInput[] {
  return documentsOf('Job', workspace).map(({ name, metadata, spec }, index) => {
    const random = createRandom(`${workspace} job ${name}`);
    const inTime = livedSince(random, end, 250, 41);
    const status = statusOf(index, spec['enabled'] !== false, random);
    const lived = livedAs(status, inTime, random, end);
    return jobInput.parse({
      id: idOf(`${workspace}/jobs/${name}`),
      metadata: { ...metadata, ...madeBy(random, workspace, lived, status) },
      status,
      spec,
      events: eventsOf(status, lived.createdAt, lived.updatedAt, 'r1', undefined),
    });
  });
}
