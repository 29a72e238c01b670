import type { CoreEvent, Status } from '../schema/resource.js';

type DemoEvent = CoreEvent & { time: string };
type Part = [type: string, status: Status, message: string];

/** The events of a resource that is built and deployed, oldest first. */
const stories: Record<Status, Part[]> = {
  UPLOADING: [['upload', 'UPLOADING', 'Source is being uploaded']],
  BUILDING: [['build', 'BUILDING', 'Building the image from the main branch']],
  BUILT: [['build', 'BUILT', 'Image built; waiting for approval']],
  DEPLOYING: [['deployment', 'DEPLOYING', 'Rolling out, 1 of 3 regions done']],
  DEPLOYED: [['health', 'DEPLOYED', 'All instances healthy']],
  FAILED: [['deployment', 'FAILED', 'Readiness probe failed: connection refused on port 8080']],
  DEACTIVATING: [['deactivation', 'DEACTIVATING', 'Draining connections']],
  DEACTIVATED: [['deactivation', 'DEACTIVATED', 'Switched off by its owner']],
  DELETING: [['deletion', 'DELETING', 'Removing endpoints and images']],
  TERMINATED: [['termination', 'TERMINATED', 'Ended: its time to live is over']],
};

const beginning: Part[] = [
  ['upload', 'UPLOADING', 'Source uploaded'],
  ['build', 'BUILDING', 'Image build started'],
  ['build', 'BUILT', 'Image built and pushed'],
  ['deployment', 'DEPLOYED', 'Revision took over all traffic'],
];

/** Five events between two times, which end in the status. */
export function eventsOf(
  status: Status,
  from: Date,
  to: Date,
  revision: string,
  canary: string | undefined,
): DemoEvent[] {
  return eventsFromStory([...beginning, ...stories[status]], from, to).map((event, index) => ({
    ...event,
    revision,
    ...(canary === undefined || index < beginning.length ? {} : { canaryRevision: canary }),
  }));
}

const ready: Part = ['provisioning', 'DEPLOYED', 'Ready for use'];

/** The events of a resource without a build, such as a volume, VPC or gateway. */
const provisioning = {
  DEPLOYING: [],
  DEPLOYED: [ready],
  FAILED: [['provisioning', 'FAILED', 'No capacity in the region; tried again every hour']],
  DELETING: [ready, ['deletion', 'DELETING', 'Waiting until nothing uses it any more']],
} satisfies Partial<Record<Status, Part[]>>;

/** Up to three events between two times, which end in the status. */
export function provisioningEventsOf(status: keyof typeof provisioning, from: Date, to: Date): DemoEvent[] {
  return eventsFromStory([['creation', 'DEPLOYING', 'Requested'], ...provisioning[status]], from, to);
}

function eventsFromStory(story: Part[], from: Date, to: Date): DemoEvent[] {
  const step = Math.floor((to.getTime() - from.getTime()) / story.length);
  return story.map(([type, status, message], index) => ({
    time: new Date(from.getTime() + step * index).toISOString(),
    type,
    status,
    message,
  }));
}
