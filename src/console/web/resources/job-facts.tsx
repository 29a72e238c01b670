import type { ReactElement } from 'react';
import { plural } from '../look/amount.js';
import { formatDuration } from '../look/time.js';
import { Fact, Section } from './section.js';
import type { Job } from './resource-queries.js';
import { EnvSection, RuntimeFacts } from './runtime-facts.js';

/** The configuration of a job. */
export function JobFacts({ job: { spec }, isSummary }: { job: Job; isSummary: boolean }): ReactElement {
  return (
    <>
      <Section title="Configuration">
        <dl className="facts">
          <Fact name="Enabled">{spec.enabled ? 'Yes' : 'No'}</Fact>
          {spec.region !== null && <Fact name="Region">{spec.region}</Fact>}
          <RuntimeFacts runtime={spec.runtime} />
          {spec.parallelism !== null && <Fact name="Parallelism">{plural(spec.parallelism, 'task')}</Fact>}
          {spec.timeout !== null && <Fact name="Timeout">{formatDuration(spec.timeout * 1000)}</Fact>}
          {spec.maxRetries !== null && <Fact name="Retries">{spec.maxRetries} per task</Fact>}
        </dl>
      </Section>
      {!isSummary && <EnvSection envs={spec.runtime?.envs} />}
    </>
  );
}
