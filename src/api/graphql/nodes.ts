import { resolveNodes } from '@pothos/plugin-relay';
import { invalidParameter } from '../../errors.js';
import { builder } from './builder.js';
import { findGlobalId, nodesMax } from './global-id.js';

builder.queryField('nodes', (t) =>
  t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: true, items: true },
    description:
      `Several things by their global ids, at most ${nodesMax}, in the order of the ids. What does not exist, is out of ` +
      'reach, or has an id that is none of this API, is null.',
    args: { ids: t.arg.idList({ required: true, description: 'Global ids.' }) },
    // What is priced is refused before anything runs.
    complexity: ({ ids }) => {
      if (ids.length > nodesMax) throw invalidParameter('ids', `may hold a list of ${nodesMax} at most`);
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
