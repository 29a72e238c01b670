import type { CoreEvent, Status } from '../resources/resource.js';

type DemoEvent = CoreEvent & { time: string };

/** How an agent came to its status, oldest first. */
const stories: Record<Status, [type: string, status: string, message: string][]> = {
  UPLOADING: [['upload', 'UPLOADING', 'Source is being uploaded']],
  BUILDING: [['build', 'BUILDING', 'Building the image from the main branch']],
  BUILT: [['build', 'BUILT', 'Image built; waiting for approval']],
  DEPLOYING: [['deployment', 'DEPLOYING', 'Rolling out, 1 of 3 regions done']],
  DEPLOYED: [['health', 'DEPLOYED', 'All instances healthy']],
  FAILED: [['deployment', 'FAILED', 'Readiness probe failed: connection refused on port 8080']],
  DEACTIVATING: [['deactivation', 'DEACTIVATING', 'Draining connections']],
  DEACTIVATED: [['deactivation', 'DEACTIVATED', 'Switched off by its owner']],
  DELETING: [['deletion', 'DELETING', 'Removing endpoints and images']],
  TERMINATED: [['termination', 'TERMINATED', 'Ended after 90 days without a request']],
};

const beginning: [type: string, status: string, message: string][] = [
  ['upload', 'UPLOADING', 'Source uploaded'],
  ['build', 'BUILDING', 'Image build started'],
  ['build', 'BUILT', 'Image built and pushed'],
  ['deployment', 'DEPLOYED', 'Revision took over all traffic'],
];

/** Five events or fewer between two instants, which end in the status. */
export function eventsOf(
  status: Status,
  from: Date,
  to: Date,
  revision: string,
  canary: string | undefined,
): DemoEvent[] {
  const story = [...beginning, ...stories[status]];
  const step = Math.floor((to.getTime() - from.getTime()) / story.length);
  return story.map(([type, state, message], index) => ({
    time: new Date(from.getTime() + step * index).toISOString(),
    type,
    status: state,
    message,
    revision,
    ...(canary === undefined || index < beginning.length ? {} : { canaryRevision: canary }),
  }));
}
