import { pageClient } from '../api/client.js';
import { readingOf } from '../api/reading.js';
import type { Reading } from '../api/reading.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { resourceQueries } from '../resources/resource-queries.js';
import type { AnyResource } from '../resources/resource-queries.js';
import { documentOf } from './document-of.js';
import type { Editable } from './edit-dialog.js';

export interface ReadEditable extends Editable {
  /** The global id of the resource. */
  id: string;
}

/** Reads the editable part of a resource as it is now. */
export async function readEditable(kind: Kind, workspace: string, name: string): Promise<Reading<ReadEditable>> {
  const variables = { workspace, name };
  const { data, error } = await pageClient
    .query<{ resource: AnyResource | null }, typeof variables>(resourceQueries[kind], variables)
    .toPromise();
  const resource = data?.resource;
  const found = resource && { id: resource.id, version: resource.version, document: documentOf(resource) };
  return readingOf(kinds[kind].one, found, error);
}
