import type { AccessibleWorkspace } from '../../../auth/caller.js';
import { addressFields, withAddress } from '../address.js';
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument, versionArgument } from '../change-arguments.js';
import { resultOf, resultType } from '../mutation.js';
import { inputType, updateInputType } from '../shape-input.js';
import { WorkspaceType } from './accounts.js';
import { workspaceMetadata } from '../../../accounts/workspace.js';
import { createWorkspace, updateWorkspace } from '../../../accounts/workspace-changes.js';
import { deleteWorkspace } from '../../../accounts/workspace-deletion.js';

interface WorkspacePayload {
  workspace: AccessibleWorkspace;
}

const CreateResult = resultType<WorkspacePayload>('CreateWorkspace', 'The created workspace', (t) => ({
  workspace: t.expose('workspace', { type: WorkspaceType, nullable: false }),
}));

const CreateInput = builder.inputType('CreateWorkspaceInput', {
  description: "The workspace to create in the caller's account.",
  fields: (t) => ({
    ...dryRunArgument(t),
    metadata: t.field({ type: inputType(workspaceMetadata), required: true, description: 'Name and display name.' }),
  }),
});

builder.mutationField('createWorkspace', (t) =>
  t.field({
    type: CreateResult,
    nullable: false,
    extensions: requiresScopes([['workspaces:create']]),
    description: 'Creates a workspace. Needs an admin of the account.',
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The workspace to create.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ workspace: await createWorkspace(ctx, input) })),
  }),
);

const UpdateResult = resultType<WorkspacePayload>('UpdateWorkspace', 'The updated workspace', (t) => ({
  workspace: t.expose('workspace', { type: WorkspaceType, nullable: false, description: 'The updated workspace.' }),
}));

const UpdateInput = builder.inputType('UpdateWorkspaceInput', {
  description: 'The workspace to update, and its new values. An absent field keeps its value, null removes the value.',
  fields: (t) => ({
    ...dryRunArgument(t),
    ...versionArgument(t),
    ...addressFields(t, 'workspace'),
    metadata: t.field({ type: updateInputType(workspaceMetadata), description: 'The new display name.' }),
  }),
});

builder.mutationField('updateWorkspace', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    extensions: requiresScopes([['workspaces:update']]),
    description: 'Updates a workspace. Needs an admin of the workspace.',
    args: {
      input: t.arg({ type: UpdateInput, required: true, description: 'The workspace to update, and its new values.' }),
    },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ workspace: await updateWorkspace(ctx, withAddress('Workspace', input)) })),
  }),
);

const DeleteResult = resultType<WorkspacePayload>('DeleteWorkspace', 'The deleted workspace', (t) => ({
  workspace: t.expose('workspace', { type: WorkspaceType, nullable: false, description: 'The deleted workspace.' }),
}));

const DeleteInput = builder.inputType('DeleteWorkspaceInput', {
  description: 'The workspace to delete.',
  fields: (t) => ({
    ...dryRunArgument(t),
    ...versionArgument(t),
    ...addressFields(t, 'workspace'),
    force: t.boolean({
      description: 'Also deletes all resources of the workspace (default: false; the workspace must be empty).',
    }),
  }),
});

builder.mutationField('deleteWorkspace', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    extensions: requiresScopes([['workspaces:delete']]),
    description:
      'Deletes a workspace with its memberships, API keys and OAuth clients. Recorded usage is kept. Needs an ' +
      'admin of the account.',
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'The workspace to delete.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ workspace: await deleteWorkspace(ctx, withAddress('Workspace', input)) })),
  }),
);
