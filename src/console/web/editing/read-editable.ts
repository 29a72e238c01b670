import { pageClient } from '../api/client.js';
import type { Kind } from '../kinds/kinds.js';
import { resourceQueries } from '../resources/resource-queries.js';
import type { AnyResource } from '../resources/resource-queries.js';
import { documentOf } from './document-of.js';
import type { Editable } from './edit-dialog.js';

export interface ReadEditable extends Editable {
  /** The global id of the resource. */
  id: string;
}

/** The editable part of a resource as it is now; undefined if it was deleted or the request failed. */
export async function readEditable(kind: Kind, workspace: string, name: string): Promise<ReadEditable | undefined> {
  const variables = { workspace, name };
  const { data } = await pageClient
    .query<{ resource: AnyResource | null }, typeof variables>(resourceQueries[kind], variables)
    .toPromise();
  if (data?.resource == null) return undefined;
  const { id, version } = data.resource;
  return { id, version, document: documentOf(data.resource) };
}
