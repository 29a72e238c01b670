// The image shares between the two accounts of the demo.
import type { ImageResourceType } from '../resources/images/image.js';
import type { ImageShareInput } from './rows/image-input.js';
import type { ShareStatus } from '../resources/images/image-share.js';
import { demoOwner, mainWorkspace, tidewaterOwner, tidewaterWorkspace } from './company.js';
import { idOf } from './random.js';
import { dayMs, hourMs } from './times.js';

interface Offer {
  resourceType: ImageResourceType;
  imageName: string;
  status: ShareStatus;
}

interface Source {
  sourceAccount: string;
  sourceWorkspace: string;
  offeredBy: string;
  /** Newest first. */
  offers: Offer[];
}

const fromTidewater: Source = {
  sourceAccount: 'tidewater-labs',
  sourceWorkspace: tidewaterWorkspace,
  offeredBy: tidewaterOwner,
  offers: [
    { resourceType: 'agents', imageName: 'pilot-dispatcher', status: 'pending' },
    { resourceType: 'jobs', imageName: 'current-forecast', status: 'pending' },
    { resourceType: 'jobs', imageName: 'sonar-mosaic', status: 'declined' },
    { resourceType: 'functions', imageName: 'draught-check', status: 'revoked' },
    { resourceType: 'sandboxes', imageName: 'tide-tables', status: 'accepted' },
    { resourceType: 'agents', imageName: 'berth-planner', status: 'accepted' },
  ],
};

const fromMeridian: Source = {
  sourceAccount: 'meridian-freight',
  sourceWorkspace: mainWorkspace,
  offeredBy: demoOwner,
  offers: [
    { resourceType: 'functions', imageName: 'lookup-hs-code', status: 'pending' },
    { resourceType: 'jobs', imageName: 'port-schedule-sync', status: 'revoked' },
    { resourceType: 'sandboxes', imageName: 'web-review', status: 'declined' },
    { resourceType: 'functions', imageName: 'quote-price', status: 'accepted' },
  ],
};

const eventTypes = { accepted: 'accept', declined: 'decline', revoked: 'revoke' } as const;

/** The images that a workspace of the other account offers to a workspace. */
export function demoImageShares(workspace: string, count: number, end: Date): ImageShareInput[] {
  const isTidewater = workspace === tidewaterWorkspace;
  const { offers, offeredBy, ...source } = isTidewater ? fromMeridian : fromTidewater;
  const decidedBy = isTidewater ? tidewaterOwner : demoOwner;
  return offers.slice(0, count).map(({ resourceType, imageName, status }, index): ImageShareInput => {
    const offeredAt = new Date(end.getTime() - (index * 6 + 2) * dayMs);
    const decidedAt = new Date(offeredAt.getTime() + 26 * hourMs).toISOString();
    const isDecided = status === 'accepted' || status === 'declined';
    const changedBy = isDecided ? decidedBy : offeredBy;
    return {
      id: idOf(`${workspace}/image-shares/${imageName}`),
      resourceType,
      imageName,
      ...source,
      status,
      createdAt: offeredAt.toISOString(),
      createdBy: offeredBy,
      updatedAt: status === 'pending' ? offeredAt.toISOString() : decidedAt,
      updatedBy: changedBy,
      ...(isDecided ? { decidedAt, decidedBy } : {}),
      events: [
        { time: offeredAt.toISOString(), type: 'offer', status: 'pending', message: `Offered by ${offeredBy}` },
        ...(status === 'pending'
          ? []
          : [{ time: decidedAt, type: eventTypes[status], status, message: `${status} by ${changedBy}` }]),
      ],
    };
  });
}
