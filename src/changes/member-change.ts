import type { Role } from '../auth/caller.js';
import { changeWithMessage } from './record-changes.js';
import type { NewChange } from './record-changes.js';

/** An account or workspace by name. */
export interface NamedTenant {
  account: { name: string };
  workspace: { id: string; name: string } | undefined;
}

/** A change of a membership. */
export interface MemberChange extends NewChange {
  after: { role: Role } | undefined;
}

/** The change of a membership from one role (undefined: none) to another. */
export function memberChange(
  principal: { id: string; name: string },
  tenant: NamedTenant,
  before: Role | undefined,
  after: Role | undefined,
): MemberChange {
  const verb = after === undefined ? 'deleted' : before === undefined ? 'created' : 'updated';
  const message =
    after === undefined ? `No longer a member of ${tenantText(tenant)}` : `${after} of ${tenantText(tenant)}`;
  return {
    ...changeWithMessage('MEMBER', verb, principal, message),
    workspaceId: tenant.workspace?.id,
    before: before && { role: before },
    after: after && { role: after },
  };
}

/** An account or workspace in a sentence: "the workspace main". */
export function tenantText({ account, workspace }: NamedTenant): string {
  return workspace === undefined ? `the account ${account.name}` : `the workspace ${workspace.name}`;
}
