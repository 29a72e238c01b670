import { z } from 'zod';
import { ToolError } from '../tool-call.js';
import { defineTool, readOnly } from '../tool.js';
import { mapIn, mapsIn, nameInput, withoutEmpty } from '../tool-result.js';

/** The newest failures that a result has. */
const failuresMax = 10;

export const workspaceOverview = defineTool({
  name: 'workspace_overview',
  title: 'Workspace overview',
  description:
    'Returns the state of a workspace: the number of resources by kind and status, the failures of the last day, and ' +
    'the cost of this month with a forecast. Parts that the credential may not read are omitted.',
  input: z.strictObject({ workspace: nameInput.describe('Name of the workspace.') }),
  annotations: readOnly,
  run: async (call, { workspace: name }) => {
    const { data, errors } = await call.execute('workspace-overview', { variables: { workspace: name } });
    if (data['workspace'] === null) {
      throw new ToolError('not_found', 'There is no workspace of this name that this credential can access.');
    }
    const { overview, ...workspace } = mapIn(data['workspace']);
    const { kinds, failures, cost } = mapIn(overview);
    return withoutEmpty({
      ...withoutEmpty(workspace),
      kinds: mapsIn(kinds)
        .filter(({ total }) => total !== 0)
        .map(({ kind, total, states }) => withoutEmpty({ kind, total, statuses: countsIn(states) })),
      failures: { ...mapIn(failures), newest: mapsIn(mapIn(failures)['newest']).slice(0, failuresMax) },
      cost,
      omitted: errors.map(({ message }) => message),
    });
  },
});

function countsIn(states: unknown): Record<string, unknown> {
  return Object.fromEntries(mapsIn(states).map(({ value, count }) => [String(value ?? 'none'), count]));
}
