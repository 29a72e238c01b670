import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { findMemberAccess, workspaceRolesMax } from '../../../accounts/member-access.js';
import type { MemberAccess, WorkspaceRole } from '../../../accounts/member-access.js';
import { ownAccessMax } from '../../../accounts/self.js';
import { AccountType, RoleEnum } from './accounts.js';
import { MemberType, OriginEnum } from './members.js';
import { AuthorizationType, SessionType } from './viewer.js';
import { optionalTimeField } from '../time-fields.js';

const WorkspaceRoleType = builder.objectRef<WorkspaceRole>('WorkspaceRole').implement({
  description: 'The role that a member has by a membership of a workspace.',
  fields: (t) => ({
    workspaceName: t.exposeString('workspaceName', { nullable: false, description: 'Name of the workspace.' }),
    role: t.expose('role', { type: RoleEnum, nullable: false, description: 'Role in the workspace.' }),
    origin: t.expose('origin', { type: OriginEnum, nullable: false }),
    memberSince: t.field(
      optionalTimeField('memberSince', 'The time the member joined the workspace, or null if it was not recorded.'),
    ),
  }),
});

const MemberAccessType = builder.objectRef<MemberAccess>('MemberAccess').implement({
  description: 'The browser sessions, authorized programs and workspace roles of a member of an account.',
  fields: (t) => ({
    member: t.expose('member', {
      type: MemberType,
      nullable: false,
      description: 'The member, with the role in the account.',
    }),
    sessions: t.field({
      type: [SessionType],
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: ownAccessMax },
      description:
        `Browser sessions in which the member uses this account (the newest ${ownAccessMax}). \`lastUsedAt\` is the ` +
        'last use in this account.',
      resolve: ({ sessions }) => sessions,
    }),
    authorizations: t.field({
      type: [AuthorizationType],
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: ownAccessMax },
      description: `OAuth consents of the member in this account, most recently used first (at most ${ownAccessMax}).`,
      resolve: ({ authorizations }) => authorizations,
    }),
    workspaceRoles: t.field({
      type: [WorkspaceRoleType],
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: workspaceRolesMax },
      description:
        `Roles by memberships of workspaces, by name of the workspace (at most ${workspaceRolesMax}). The role in the ` +
        'account can give more access.',
      resolve: ({ workspaceRoles }) => workspaceRoles,
    }),
  }),
});

builder.objectField(AccountType, 'memberAccess', (t) =>
  t.field({
    type: MemberAccessType,
    nullable: true,
    complexity: 20,
    extensions: requiresScopes([['admin']]),
    description:
      'Sessions, authorized programs and workspace roles of a member, or null if the account has no such member. Needs ' +
      'an admin of the account.',
    args: {
      name: t.arg.string({
        required: true,
        description: 'The user’s email address, or the name of the service account.',
      }),
    },
    resolve: ({ id }, { name }, ctx) => findMemberAccess(ctx, id, name),
  }),
);
