// The image shares between the two accounts of the demo.
import type { ImageResourceType } from '../resources/images/image.js';
import { acceptShare, declineShare, revokeShare, shareImage } from '../resources/images/image-share-changes.js';
import type { ShareStatus } from '../resources/images/image-share.js';
import { requestAt } from './calls.js';
import type { Loading } from './calls.js';
import { demoAccounts, demoOwner, mainWorkspace, tidewaterOwner, tidewaterWorkspace } from './company.js';
import { daysBefore, hourMs } from './times.js';

interface Offer {
  resourceType: ImageResourceType;
  imageName: string;
  status: ShareStatus;
}

interface Source {
  workspace: string;
  offeredBy: string;
  /** Newest first. */
  offers: Offer[];
}

const fromTidewater: Source = {
  workspace: tidewaterWorkspace,
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
  workspace: mainWorkspace,
  offeredBy: demoOwner,
  offers: [
    { resourceType: 'functions', imageName: 'lookup-hs-code', status: 'pending' },
    { resourceType: 'jobs', imageName: 'port-schedule-sync', status: 'revoked' },
    { resourceType: 'sandboxes', imageName: 'web-review', status: 'declined' },
    { resourceType: 'functions', imageName: 'quote-price', status: 'accepted' },
  ],
};

/** The workspaces of each account to which the other one offers its images, and how many. */
const offered: readonly { source: Source; workspaces: Readonly<Record<string, number>>; decidedBy: string }[] = [
  {
    source: fromTidewater,
    workspaces: { [mainWorkspace]: 6, 'meridian-staging': 4, 'meridian-research': 4, 'meridian-emea-edge': 4 },
    decidedBy: demoOwner,
  },
  { source: fromMeridian, workspaces: { [tidewaterWorkspace]: 4 }, decidedBy: tidewaterOwner },
];

/** Offers the images, which must be there, and decides on the offers. */
export async function shareImages(loading: Loading): Promise<void> {
  for (const { source, workspaces, decidedBy } of offered) {
    const { workspace, offeredBy, offers } = source;
    for (const [target, count] of Object.entries(workspaces)) {
      const targetAccount = demoAccounts.find((each) => each.workspaces.includes(target))?.name;
      for (const [index, { resourceType, imageName: name, status }] of offers.slice(0, count).entries()) {
        const at = daysBefore(loading.end, index * 6 + 2);
        const decidedAt = new Date(at.getTime() + 26 * hourMs);
        const image = { workspace, resourceType, name, targetWorkspace: target, targetAccount };
        const { id } = await shareImage(requestAt(loading, offeredBy, at), image);
        if (status === 'accepted') await acceptShare(requestAt(loading, decidedBy, decidedAt), { id });
        if (status === 'declined') await declineShare(requestAt(loading, decidedBy, decidedAt), { id });
        if (status === 'revoked') await revokeShare(requestAt(loading, offeredBy, decidedAt), { id });
      }
    }
  }
}
