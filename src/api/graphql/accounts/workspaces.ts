import { referenceFields, withReference } from '../reference.js';
import { dryRunArgument, versionArgument } from '../change-arguments.js';
import { addMutation, nonNull } from '../mutation.js';
import { inputType, updateInputType } from '../shape-input.js';
import { WorkspaceType } from './accounts.js';
import { workspaceMetadata } from '../../../accounts/workspace.js';
import { createWorkspace, updateWorkspace } from '../../../accounts/workspace-changes.js';
import { deleteWorkspace } from '../../../accounts/workspace-deletion.js';

addMutation('createWorkspace', {
  description: 'Creates a workspace. Needs an admin of the account.',
  scopes: [['workspaces:create']],
  inputDescription: "The workspace to create in the caller's account.",
  argumentDescription: 'The workspace to create.',
  input: (t) => ({
    ...dryRunArgument(t),
    metadata: t.field({ type: inputType(workspaceMetadata), required: true, description: 'Name and display name.' }),
  }),
  run: async (ctx, input) => ({ workspace: await createWorkspace(ctx, input) }),
  payloadDescription: 'The created workspace',
  payload: (t) => ({ workspace: t.expose('workspace', nonNull(WorkspaceType)) }),
});

addMutation('updateWorkspace', {
  description: 'Updates a workspace. Needs an admin of the workspace.',
  scopes: [['workspaces:update']],
  inputDescription:
    'The workspace to update, and its new values. An absent field keeps its value, null removes the value.',
  argumentDescription: 'The workspace to update, and its new values.',
  input: (t) => ({
    ...dryRunArgument(t),
    ...versionArgument(t),
    ...referenceFields(t, 'workspace'),
    metadata: t.field({ type: updateInputType(workspaceMetadata), description: 'The new display name.' }),
  }),
  run: async (ctx, input) => ({ workspace: await updateWorkspace(ctx, withReference('Workspace', input)) }),
  payloadDescription: 'The updated workspace',
  payload: (t) => ({ workspace: t.expose('workspace', nonNull(WorkspaceType, 'The updated workspace.')) }),
});

addMutation('deleteWorkspace', {
  description:
    'Deletes a workspace with its memberships, API keys and OAuth clients. Recorded usage is kept. Needs an ' +
    'admin of the account.',
  scopes: [['workspaces:delete']],
  inputDescription: 'The workspace to delete.',
  input: (t) => ({
    ...dryRunArgument(t),
    ...versionArgument(t),
    ...referenceFields(t, 'workspace'),
    force: t.boolean({
      description: 'Also deletes all resources of the workspace (default: false; the workspace must be empty).',
    }),
  }),
  run: async (ctx, input) => ({ workspace: await deleteWorkspace(ctx, withReference('Workspace', input)) }),
  payloadDescription: 'The deleted workspace',
  payload: (t) => ({
    workspace: t.field({
      ...nonNull(WorkspaceType, 'The deleted workspace.'),
      resolve: ({ workspace }, _args, { caller }) => {
        // The request that deletes it can read what the selection reaches. A repeated one gets the same.
        if (!caller.workspaces.has(workspace.name)) caller.addWorkspace(workspace);
        return workspace;
      },
    }),
  }),
});
