import type { ReachableWorkspace } from '../../../auth/caller.js';
import { builder } from '../builder.js';
import { trialArgument, versionArgument } from '../change-arguments.js';
import { resultOf, resultType } from '../mutation.js';
import { inputType, updateInputType } from '../shape-input.js';
import { WorkspaceType } from './accounts.js';
import { workspaceMetadata } from '../../../accounts/workspace.js';
import { createWorkspace, updateWorkspace } from '../../../accounts/workspace-changes.js';
import { deleteWorkspace } from '../../../accounts/workspace-deletion.js';

interface WorkspacePayload {
  workspace: ReachableWorkspace;
}

const CreateResult = resultType<WorkspacePayload>('CreateWorkspace', 'What createWorkspace made', (t) => ({
  workspace: t.expose('workspace', { type: WorkspaceType, nullable: false }),
}));

const CreateInput = builder.inputType('CreateWorkspaceInput', {
  description: "The workspace to make, in the caller's account.",
  fields: (t) => ({
    ...trialArgument(t),
    metadata: t.field({ type: inputType(workspaceMetadata), required: true, description: 'What it is called.' }),
  }),
});

builder.mutationField('createWorkspace', (t) =>
  t.field({
    type: CreateResult,
    nullable: false,
    description: 'Makes a workspace. Needs the scope workspaces:create, and an admin of the account.',
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The workspace.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ workspace: await createWorkspace(ctx, input) })),
  }),
);

const UpdateResult = resultType<WorkspacePayload>('UpdateWorkspace', 'What updateWorkspace changed', (t) => ({
  workspace: t.expose('workspace', { type: WorkspaceType, nullable: false, description: 'As it now is.' }),
}));

const UpdateInput = builder.inputType('UpdateWorkspaceInput', {
  description: 'Which workspace to change, and what of it. What is absent stays, null removes.',
  fields: (t) => ({
    ...trialArgument(t),
    ...versionArgument(t),
    name: t.string({ required: true, description: 'Name of the workspace.' }),
    metadata: t.field({ type: updateInputType(workspaceMetadata), description: 'What it is called.' }),
  }),
});

builder.mutationField('updateWorkspace', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    description: 'Changes a workspace. Needs the scope workspaces:update, and an admin of the workspace.',
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'Which one, and what of it.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ workspace: await updateWorkspace(ctx, input) })),
  }),
);

const DeleteResult = resultType<WorkspacePayload>('DeleteWorkspace', 'What deleteWorkspace removed', (t) => ({
  workspace: t.expose('workspace', { type: WorkspaceType, nullable: false, description: 'As it was.' }),
}));

const DeleteInput = builder.inputType('DeleteWorkspaceInput', {
  description: 'Which workspace to delete.',
  fields: (t) => ({
    ...trialArgument(t),
    ...versionArgument(t),
    name: t.string({ required: true, description: 'Name of the workspace.' }),
    force: t.boolean({ description: 'Whether everything that it holds goes with it; otherwise it must be empty.' }),
  }),
});

builder.mutationField('deleteWorkspace', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    description:
      'Deletes a workspace, and ends the memberships, keys and clients of it; its usage stays. Needs the scope workspaces:delete, and an admin of the account.',
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ workspace: await deleteWorkspace(ctx, input) })),
  }),
);
