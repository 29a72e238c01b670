import { pageClient } from '../api/client.js';
import { failureFrom, isUnreachable } from '../api/failure.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { resourceQueries } from '../resources/resource-queries.js';
import type { AnyResource } from '../resources/resource-queries.js';
import { documentOf } from './document-of.js';
import type { Editable } from './edit-dialog.js';

interface ReadEditable extends Editable {
  /** The global id of the resource. */
  id: string;
}

/** The editable part of a resource as it is now, or the reason why it cannot be read. */
export type Reading = { found: ReadEditable; why?: undefined } | { found?: undefined; why: string };

export async function readEditable(kind: Kind, workspace: string, name: string): Promise<Reading> {
  const variables = { workspace, name };
  const { data, error } = await pageClient
    .query<{ resource: AnyResource | null }, typeof variables>(resourceQueries[kind], variables)
    .toPromise();
  if (error !== undefined) {
    return { why: isUnreachable(error) ? 'The service did not respond.' : failureFrom(error).message };
  }
  if (data?.resource == null) return { why: `The ${kinds[kind].one} was deleted.` };
  const { id, version } = data.resource;
  return { found: { id, version, document: documentOf(data.resource) } };
}
