// Agents in addition to those of the documents, to test the service with a hundred thousand of them.
import type { AgentInput } from './rows/agent-input.js';
import type { AgentSpecInput } from '../resources/agents/checked-agent-spec.js';
import type { Status } from '../schema/resource.js';
import { madeBy } from './actors.js';
import { companyOf, subjects, tasks } from './company.js';
import type { regionsOf } from './company.js';
import { eventsOf } from './events.js';
import { createRandom, idOf } from './random.js';
import type { Random } from './random.js';
import { statusAt } from './status.js';
import { livedInFleet } from './times.js';
import { placeOfModels } from './volumes.js';

/** The index of an agent, the size of the fleet, and the workspace. */
export interface AgentPlace {
  workspace: string;
  index: number;
  count: number;
  end: Date;
}

/**
 * An agent of a fleet that is larger than its documents. Its features vary like those of the documents, and its name is
 * unique in the workspace.
 */
export function fleetAgent(position: AgentPlace, regions: ReturnType<typeof regionsOf>): AgentInput {
  const { workspace, index } = position;
  const random = createRandom(`${workspace} ${index}`);
  const subject = subjects[index % subjects.length] ?? subjects[0];
  const cycle = Math.floor(index / subjects.length);
  // Each subject is combined with each task once, and neighbours have different tasks.
  const task = tasks[(cycle + (index % subjects.length) * 5) % tasks.length] ?? tasks[0];
  const round = Math.floor(cycle / tasks.length);
  const models = placeOfModels(workspace, subject.word);
  const volumes = volumesOf(random, subject.word).filter(({ type }) => type !== 'persistent' || models !== undefined);
  const anywhere = random.pick(regions);
  // A volume is in one region, so its workloads are in the same region.
  const region = (volumes.some(({ type }) => type === 'persistent') ? models : undefined) ?? anywhere;
  const name = `${subject.word}-${task.word}${round === 0 ? '' : `-${region.slice(0, 2)}-${round.toString(36)}`}`;
  const { createdAt, updatedAt } = livedInFleet(random, position);
  const status = statusAt(index, random);
  const company = companyOf(workspace);
  const spec = specOf(random, {
    name,
    subject: subject.word,
    company,
    region,
    status,
    volumes,
    isPublic: index % 11 === 3,
  });
  return {
    id: idOf(`${workspace}/agents/${name}`),
    metadata: {
      name,
      displayName: `${subject.title} ${task.title}${round === 0 ? '' : ` (${region})`}`.slice(0, 63),
      ...(random.percent(60)
        ? { externalId: `${company.initials}-${subject.team.toUpperCase()}-${index + 1000}` }
        : {}),
      labels: {
        team: subject.team,
        tier: random.pick(['gold', 'silver', 'bronze']),
        env: workspace.split('-').at(-1) ?? workspace,
        'cost-centre': `CC-${String(random.below(40) + 100)}`,
        ...(random.percent(20) ? { 'data-class': 'personal data (GDPR)' } : {}),
      },
      ...madeBy(random, workspace, { createdAt, updatedAt }),
    },
    spec,
    status,
    events: eventsOf(status, createdAt, updatedAt, spec.revision?.active ?? 'r1', spec.revision?.canary),
  };
}

/** The secret with which an agent signs its callbacks. */
export function callbackSecretOf(name: string): string {
  return `cbs-${idOf(`${name} callback`).slice(0, 18)}`;
}

interface SpecSeed {
  name: string;
  subject: string;
  company: ReturnType<typeof companyOf>;
  region: string;
  volumes: NonNullable<AgentSpecInput['volumes']>;
  status: Status;
  isPublic: boolean;
}

function specOf(
  random: Random,
  { name, subject, company, region, volumes, status, isPublic }: SpecSeed,
): AgentSpecInput {
  const generation = isPublic ? 'mk3' : random.pick(['mk2', 'mk3', 'mk3']);
  const revision = random.below(40) + 2;
  const hasCanary = random.percent(15);
  const canaryPercent = random.pick([5, 10, 25]);
  return {
    enabled: status !== 'DEACTIVATED' && status !== 'DEACTIVATING',
    public: isPublic,
    region,
    policies: random.pick<string[]>([
      ['default-egress'],
      ['default-egress', 'pii-masking'],
      ['gpu-denied', 'eu-residency'],
    ]),
    repository: { type: 'github', url: `https://github.example.com/${company.word}/${subject}-agents` },
    revision: {
      active: `r${revision}`,
      stickySessionTtl: random.pick([0, 0, 300, 1800]),
      traffic: hasCanary ? 100 - canaryPercent : 100,
      ...(hasCanary ? { canary: `r${revision + 1}`, canaryPercent } : {}),
    },
    runtime: {
      generation,
      image: `registry.${company.domain}/agents/${name}:r${revision}`,
      memory: random.pick([1024, 2048, 4096, 8192]),
      minScale: random.pick([0, 0, 1, 2]),
      maxScale: random.pick([4, 10, 40, 100]),
      envs: [
        { name: 'LOG_LEVEL', value: random.pick(['info', 'warn', 'debug']) },
        { name: 'MODEL', value: random.pick(['large-2026-05', 'small-2026-09', 'vision-2026-02']) },
        { name: 'TMS_API_TOKEN', value: `tms-${idOf(name).slice(0, 12)}`, secret: true },
      ],
    },
    triggers: triggersOf(random, { name, subject, company, generation }),
    ...(volumes.length > 0 ? { volumes } : {}),
  };
}

function triggersOf(
  random: Random,
  { name, subject, company, generation }: Pick<SpecSeed, 'name' | 'subject' | 'company'> & { generation: string },
): AgentSpecInput['triggers'] {
  const http = {
    id: 'http',
    type: 'http' as const,
    configuration: { authenticationType: random.pick(['bearer', 'signature']), path: `/${subject}`, retry: 2 },
  };
  const later = {
    id: 'async',
    type: 'http-async' as const,
    enabled: !random.percent(10),
    configuration: {
      path: `/${subject}/async`,
      callbackUrl: `https://hooks.${company.domain}/agents/${name}`,
      callbackSecret: callbackSecretOf(name),
      retry: 5,
      ...(generation === 'mk3' ? { timeout: random.pick([300, 600, 900]) } : {}),
    },
  };
  const nightly = {
    id: 'schedule',
    type: 'cron' as const,
    configuration: {
      schedule: random.pick(['0 2 * * *', '*/15 6-20 * * mon-fri', '30 4 1,15 * *', '0 7 * * 1']),
      tasks: [{ action: 'sweep', queue: `${subject}-backlog` }],
      retry: 1,
    },
  };
  return random.pick([[http], [http], [http, later], [http, nightly], [nightly]]);
}

function volumesOf(random: Random, subject: string): NonNullable<AgentSpecInput['volumes']> {
  const shared = { type: 'persistent' as const, name: `${subject}-models`, mountPath: '/mnt/models', readOnly: true };
  const scratch = { type: 'ephemeral' as const, name: 'scratch', mountPath: '/scratch', sizeMb: 4096 };
  return random.pick([[], [], [], [shared], [scratch], [shared, scratch]]);
}
