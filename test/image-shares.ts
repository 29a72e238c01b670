import type { Database } from '../src/database/open.js';
import type { ImageResourceType } from '../src/resources/images/image.js';
import { searchDocument } from '../src/schema/resource.js';

interface Offer {
  id?: string;
  resourceType: ImageResourceType;
  imageName: string;
  sourceAccount: string;
  sourceWorkspace: string;
  createdAt: string;
  updatedAt: string;
}

/** Inserts images that accounts offer to a workspace. The accounts need not exist. */
export async function insertImageShares(db: Database, workspaceId: string, offers: readonly Offer[]): Promise<void> {
  await db.imageShare.createMany({
    data: offers.map(({ imageName: name, ...offer }) => ({
      ...offer,
      id: offer.id ?? crypto.randomUUID(),
      workspaceId,
      name,
      status: 'pending',
      search: searchDocument({ name }),
    })),
  });
}
