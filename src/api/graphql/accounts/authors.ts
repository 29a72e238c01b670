// The creator and the last updater of a resource, as members of its workspace.
import type { RequestContext } from '../../../auth/context.js';
import { ResourceInterface } from '../resource.js';
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { rowFields } from '../row-fields.js';
import type { PartialResource } from '../../../store/read/resource.js';
import type { NamedRow } from '../../../store/read/resource-row.js';
import { MemberType } from './members.js';
import { findWorkspaceMember } from '../../../accounts/members.js';

type Author = 'createdBy' | 'updatedBy';

const named = rowFields<NamedRow>();

function authorEdge(column: Author, description: string) {
  return {
    type: MemberType,
    complexity: 2,
    description: `${description}, or null if they are no longer a member; their name stays in the metadata.`,
    extensions: { ...requiresScopes([['workspaces:get']]), ...named.of([column], () => undefined).extensions },
    resolve: async (found: PartialResource<NamedRow>, _args: object, ctx: RequestContext) => {
      const row = await found.read([column]);
      return findWorkspaceMember(ctx, found.workspace, row[column]);
    },
  } as const;
}

/** The field `creator` of a resource. */
export const creatorEdge = authorEdge('createdBy', 'The member of the workspace who created the resource');

/** The field `updater` of a resource. */
export const updaterEdge = authorEdge('updatedBy', 'The member of the workspace who last updated the resource');

builder.interfaceField(ResourceInterface, 'creator', (t) => t.field(creatorEdge));

builder.interfaceField(ResourceInterface, 'updater', (t) => t.field(updaterEdge));
