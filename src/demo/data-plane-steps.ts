// The steps of the simulated data plane for an assignment, with occasional failures. The same assignment always has the
// same steps.
import { createHash } from 'node:crypto';

/** The fields of an assignment that the data plane needs. */
export interface DemoAssignment {
  id: string;
  fence: number;
  kind: string;
  action: string;
  version: number | null;
  resourceId: string;
  accountId: string;
  workspaceName: string;
  desired: {
    /** For a task, `id` is that of its job. */
    metadata: { name: string; id?: string };
    spec: { ipFamily?: string; sizeMb?: number; runtime?: { memory?: number; minScale?: number } };
    task?: { name: string };
  };
}

export interface DemoStep {
  afterMs: number;
  state: string;
  message: string;
  revision?: string;
  image?: string;
  address?: string;
  conditions?: { type: string; state: string; reason: string; message: string }[];
}

const buildFailures = [
  'The image cannot be pulled: manifest unknown',
  'Step 4 of 9 failed: npm ci ended with exit code 1',
  'The instance was not ready within 60 seconds: connection refused on port 8080',
];
const taskFailures = [
  'exit code 1: connection reset by peer',
  'exit code 137: out of memory',
  'exit code 2: no such file',
];

/** One in this many fails. */
const failsOneIn = 12;

export function stepsOf(assignment: DemoAssignment): DemoStep[] {
  switch (assignment.action) {
    case 'DEPLOY':
      return deployment(assignment);
    case 'DEACTIVATE':
      return [{ afterMs: 1_200, state: 'DEACTIVATED', message: 'Drained and stopped' }];
    case 'RUN':
      return task(assignment);
    default:
      return [{ afterMs: 1_200, state: 'TERMINATED', message: 'Taken down' }];
  }
}

function deployment(assignment: DemoAssignment): DemoStep[] {
  const { kind, desired, workspaceName, version } = assignment;
  const { name } = desired.metadata;
  const chance = chanceOf(assignment);
  if (kind === 'SANDBOX_PREVIEW') {
    const address = `https://${name}-${chance.toString(36).slice(0, 6)}.preview.example.com`;
    return [{ afterMs: 900, state: 'DEPLOYED', message: 'Its route is there', address }];
  }
  if (kind === 'EGRESS_IP') {
    const last = (chance % 254) + 1;
    const address = desired.spec.ipFamily === 'ipv6' ? `2001:db8::${last.toString(16)}` : `203.0.113.${last}`;
    return [{ afterMs: 900, state: 'DEPLOYED', message: `Allocated ${address}`, address }];
  }
  const isBuilt = ['AGENT', 'SANDBOX', 'JOB'].includes(kind);
  if (!isBuilt) {
    return [
      { afterMs: 500, state: 'DEPLOYING', message: 'Being provisioned' },
      { afterMs: 900, state: 'DEPLOYED', message: 'It is there' },
    ];
  }
  const revision = `r${version ?? 1}`;
  const building: DemoStep = { afterMs: 600, state: 'BUILDING', message: 'Building the image' };
  if (chance % failsOneIn === 0)
    return [building, { afterMs: 1_500, state: 'FAILED', message: pick(buildFailures, chance) }];
  const image = `registry.example.com/${workspaceName}/${name}:${revision}`;
  return [
    building,
    { afterMs: 1_400, state: 'BUILT', message: `Built ${image}`, image },
    { afterMs: 600, state: 'DEPLOYING', message: `Rolling out ${revision}`, revision },
    { afterMs: 1_200, state: 'DEPLOYED', message: `${revision} takes all traffic`, revision, image },
  ];
}

function task(assignment: DemoAssignment): DemoStep[] {
  const chance = chanceOf(assignment);
  const isFailing = chance % failsOneIn === 0;
  const message = isFailing ? pick(taskFailures, chance) : 'exit code 0';
  const condition = { type: 'Completed', state: isFailing ? 'False' : 'True', reason: 'Exited', message };
  return [
    { afterMs: 300, state: 'RUNNING', message: 'Its instance has started' },
    { afterMs: 1_000 + (chance % 1_000), state: isFailing ? 'FAILED' : 'SUCCEEDED', message, conditions: [condition] },
  ];
}

/** A stable hash of an assignment. For tasks it includes the claim, so that a retry can succeed. */
function chanceOf({ resourceId, version, action, desired, fence }: DemoAssignment): number {
  const course = action === 'RUN' ? [resourceId, desired.task?.name, fence] : [resourceId, version];
  return createHash('sha256').update(JSON.stringify(course)).digest().readUInt32BE(0);
}

function pick(texts: string[], chance: number): string {
  return texts[Math.floor(chance / failsOneIn) % texts.length] ?? '';
}
