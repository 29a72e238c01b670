// Who made and changed what is in a workspace, as members of it.
import type { RequestContext } from '../../../auth/context.js';
import { ResourceInterface } from '../resource.js';
import { builder } from '../builder.js';
import { rowFields } from '../row-fields.js';
import type { Found } from '../../../store/read/found.js';
import type { NamedRow } from '../../../store/read/resource-row.js';
import { MemberType } from './members.js';
import { findWorkspaceMember } from '../../../accounts/members.js';

type Author = 'createdBy' | 'updatedBy';

const named = rowFields<NamedRow>();

function authorEdge(column: Author, description: string) {
  return {
    type: MemberType,
    complexity: 2,
    description:
      `${description} As a member of the workspace; null for who is none any more, whose name stays in the metadata. ` +
      'Needs the scope workspaces:get.',
    extensions: named.of([column], () => undefined).extensions,
    resolve: async (found: Found<NamedRow>, _args: object, ctx: RequestContext) => {
      const row = await found.read([column]);
      return findWorkspaceMember(ctx, found.workspace, row[column]);
    },
  } as const;
}

/** Who made something. */
export const creatorEdge = authorEdge('createdBy', 'Who made it.');

/** Who changed something last. */
export const updaterEdge = authorEdge('updatedBy', 'Who changed it last.');

builder.interfaceField(ResourceInterface, 'creator', (t) => t.field(creatorEdge));

builder.interfaceField(ResourceInterface, 'updater', (t) => t.field(updaterEdge));
