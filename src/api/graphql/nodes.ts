import { resolveNodes } from '@pothos/plugin-relay';
import { invalidParameter } from '../../errors.js';
import { builder } from './builder.js';
import { findGlobalId, nodesMax } from './global-id.js';

builder.queryField('nodes', (t) =>
  t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: true, items: true },
    description:
      `Objects by their global IDs (at most ${nodesMax}), in the order of the IDs. Null for an invalid ID, and for ` +
      'an object that does not exist or is not accessible to the caller. Needs the scopes that read one object of each ' +
      'type.',
    args: { ids: t.arg.idList({ required: true, description: 'Global IDs of the objects.' }) },
    // Checks the number of ids while the cost is computed, before the query runs.
    complexity: ({ ids }) => {
      if (ids.length > nodesMax)
        throw invalidParameter('ids', `must be at most ${nodesMax} items`, { limit: nodesMax, actual: ids.length });
      return { field: 1, multiplier: ids.length };
    },
    resolve: (_root, { ids }, ctx, info) =>
      resolveNodes(
        builder,
        ctx,
        info,
        ids.map((id) => findGlobalId(id)),
      ),
  }),
);
