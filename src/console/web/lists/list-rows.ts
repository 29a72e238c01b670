// The rows of the lists, for each kind.
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import type { Kind } from '../kinds/kinds.js';
import { formatMegabytes } from '../look/amount.js';
import { pageSource } from './page-source.js';
import type { ListQuestion } from './page-source.js';
import type { FetchPage } from './page-window.js';

export interface ListRow {
  id: string;
  name: string;
  displayName: string | null;
  status: string | null;
  /** The time since when it is unknown whether a deployed resource runs. */
  unknownSince: string | null;
  region: string | null;
  /** The size, which differs between kinds: in one line, and in words. */
  detail: string;
  detailInWords: string;
  labels: readonly { key: string; value: string }[];
  createdAt: string;
  createdBy: string | null;
  updatedAt: string;
  updatedBy: string | null;
  /** The cron expression of a job, with its time zone; undefined without one. */
  schedule?: { cron: string; timeZone: string; isEnabled: boolean };
}

const inAList = graphql(`
  fragment InAList on Resource {
    id
    status
    observed {
      unknownSince
    }
    metadata {
      name
      displayName
      createdAt
      createdBy
      updatedAt
      updatedBy
      labels {
        key
        value
      }
    }
  }
`);

const agentRow = graphql(
  `
    fragment AgentRow on Agent {
      ...InAList
      spec {
        region
        runtime {
          generation
          memory
          minScale
          maxScale
        }
      }
    }
  `,
  [inAList],
);

const sandboxRow = graphql(
  `
    fragment SandboxRow on Sandbox {
      ...InAList
      spec {
        region
        runtime {
          generation
          memory
        }
      }
    }
  `,
  [inAList],
);

const jobRow = graphql(
  `
    fragment JobRow on Job {
      ...InAList
      spec {
        region
        enabled
        schedule
        timeZone
        parallelism
        runtime {
          memory
        }
      }
    }
  `,
  [inAList],
);

const volumeRow = graphql(
  `
    fragment VolumeRow on Volume {
      ...InAList
      spec {
        region
        sizeMb
      }
    }
  `,
  [inAList],
);

const networkRow = graphql(
  `
    fragment VpcRow on Vpc {
      ...InAList
      spec {
        region
        cidrBlock
      }
    }
  `,
  [inAList],
);

type Listed = ResultOf<typeof inAList> & { spec: { region: string | null } };

function rowFrom({ id, status, observed, metadata, spec }: Listed, detail: string, detailInWords = detail): ListRow {
  const unknownSince = observed?.unknownSince ?? null;
  return { id, status, unknownSince, ...metadata, region: spec.region, detail, detailInWords };
}

const words = (...parts: (string | null | undefined | false)[]) => parts.filter(Boolean).join(' · ');
const memory = (megabytes: number | null | undefined) => (megabytes == null ? undefined : formatMegabytes(megabytes));

/** The query of each kind. */
export const listSources: Record<Kind, (question: ListQuestion) => FetchPage<ListRow>> = {
  agents: pageSource('Agent', agentRow, (agent) => {
    const { runtime } = agent.spec;
    const scale = runtime?.maxScale != null && `${runtime.minScale ?? 0}–${runtime.maxScale}`;
    const size = [runtime?.generation?.toLowerCase(), memory(runtime?.memory)];
    return rowFrom(agent, words(...size, scale), words(...size, scale && `${scale} instances`));
  }),
  sandboxes: pageSource('Sandbox', sandboxRow, (sandbox) => {
    const { runtime } = sandbox.spec;
    return rowFrom(sandbox, words(runtime?.generation?.toLowerCase(), memory(runtime?.memory)));
  }),
  jobs: pageSource('Job', jobRow, (job) => {
    const { runtime, parallelism, schedule, timeZone, enabled } = job.spec;
    const size = memory(runtime?.memory);
    const row = rowFrom(
      job,
      words(size, parallelism != null && `×${parallelism}`),
      words(size, parallelism != null && `parallelism ${parallelism}`),
    );
    if (schedule === null) return row;
    return { ...row, schedule: { cron: schedule, timeZone: timeZone ?? 'UTC', isEnabled: enabled } };
  }),
  volumes: pageSource('Volume', volumeRow, (volume) => rowFrom(volume, formatMegabytes(volume.spec.sizeMb))),
  networks: pageSource('Vpc', networkRow, (network) => rowFrom(network, network.spec.cidrBlock ?? '')),
};
