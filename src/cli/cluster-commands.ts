import { z } from 'zod';
import { distributeUsage } from './operator/usage-cluster.js';
import { defineCommand } from './command.js';
import type { Command } from './command.js';

export const clusterCommands: Command[] = [
  defineCommand({
    name: 'cluster distribute',
    summary: 'Distribute the usage tables over a Citus cluster by account. Distributed tables are left alone.',
    input: z.object({}),
    run: async ({ db }, _input, print) =>
      print.table(
        ['table', 'shards', 'done'],
        (await distributeUsage(db)).map(({ table, shards, isNew }) => ({
          table,
          shards: String(shards),
          done: isNew ? 'distributed' : 'already distributed',
        })),
      ),
  }),
];
