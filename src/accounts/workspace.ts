import { z } from 'zod';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { AccessibleWorkspace } from '../auth/caller.js';
import { eventBy } from '../changes/record-changes.js';
import type { EventfulAction, NewChange } from '../changes/record-changes.js';
import { displayName, resourceName } from '../schema/resource.js';

export const workspaceMetadata = z
  .object({
    name: resourceName.meta({
      description:
        'Name, unique among all workspaces of all accounts (lowercase letters, digits and hyphens; at most 49 characters). Immutable.',
      'x-immutable': true,
    }),
    displayName: displayName.optional().meta({ description: 'Display name (at most 63 characters).' }),
  })
  .meta({ id: 'WorkspaceMetadata', description: 'Name of a workspace.' });

export const workspaceInput = z.object({ metadata: workspaceMetadata });

/** The change record of a workspace. */
export function workspaceChange(
  { caller }: AuthorizedAccount,
  verb: EventfulAction,
  { before, after, fields }: { before?: AccessibleWorkspace; after?: AccessibleWorkspace; fields?: string[] },
): NewChange[] {
  const workspace = after ?? before;
  if (workspace === undefined) return [];
  return [
    {
      kind: 'WORKSPACE',
      verb,
      resourceId: workspace.id,
      name: workspace.name,
      version: workspace.version,
      before: before && shownWorkspace(before),
      after: after && shownWorkspace(after),
      fields,
      event: eventBy(verb, caller.principal.name),
    },
  ];
}

function shownWorkspace({ name, displayName: shown, createdAt, updatedAt }: AccessibleWorkspace): object {
  return {
    metadata: { name, displayName: shown, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
  };
}
