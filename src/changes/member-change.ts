import type { Role } from '../auth/caller.js';
import type { ChangeKind, ChangeAction } from './change-subjects.js';

/** An account or workspace by name. */
export interface NamedTenant {
  account: { name: string };
  workspace: { id: string; name: string } | undefined;
}

/** A change of a membership, with its event. */
export interface MemberChange {
  kind: ChangeKind;
  verb: ChangeAction;
  resourceId: string;
  name: string;
  workspaceId: string | undefined;
  before: { role: Role } | undefined;
  after: { role: Role } | undefined;
  message: string;
}

/** The change of a membership from one role (undefined: none) to another. */
export function memberChange(
  { id, name }: { id: string; name: string },
  tenant: NamedTenant,
  before: Role | undefined,
  after: Role | undefined,
): MemberChange {
  return {
    kind: 'MEMBER',
    verb: after === undefined ? 'deleted' : before === undefined ? 'created' : 'updated',
    resourceId: id,
    name,
    workspaceId: tenant.workspace?.id,
    before: before && { role: before },
    after: after && { role: after },
    message: after === undefined ? `No longer a member of ${tenantText(tenant)}` : `${after} of ${tenantText(tenant)}`,
  };
}

/** An account or workspace in a sentence: "the workspace main". */
export function tenantText({ account, workspace }: NamedTenant): string {
  return workspace === undefined ? `the account ${account.name}` : `the workspace ${workspace.name}`;
}
