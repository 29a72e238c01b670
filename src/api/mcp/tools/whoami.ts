import { z } from 'zod';
import { defineTool, readOnly } from '../tool.js';
import { fittingCount, mapIn, mapsIn, resultBytesDefault, withoutEmpty } from '../tool-result.js';

export const whoami = defineTool({
  name: 'whoami',
  title: 'Who am I',
  description:
    'Returns the user or service account of this connection, its scopes, and its accounts and workspaces with the ' +
    'role in each. Call it first to learn the names of workspaces.',
  input: z.strictObject({}),
  annotations: readOnly,
  run: async (call) => {
    const { data } = await call.execute('whoami');
    const { workspaces, accounts, ...viewer } = mapIn(data['viewer']);
    const all = mapsIn(workspaces);
    const head = { ...withoutEmpty(viewer), accounts: mapsIn(accounts).map(withoutEmpty), workspaceCount: all.length };
    const note = 'Some workspaces are omitted. Use list_resources with the kind Workspace for all of them.';
    const resultOf = (count: number) => ({
      ...head,
      workspaces: all.slice(0, count),
      ...(count < all.length ? { note } : {}),
    });
    return resultOf(fittingCount(all, resultOf, { bytesMax: resultBytesDefault, countMin: 0 }));
  },
});
