import { z } from 'zod';
import { distributeUsage } from './operator/usage-cluster.js';
import { defineCommand } from './command.js';
import type { Command } from './command.js';

export const clusterCommands: Command[] = [
  defineCommand({
    name: 'cluster distribute',
    summary: 'Spread the tables of usage over a Citus cluster by account. What is spread already stays as it is.',
    input: z.object({}),
    run: async ({ db }, _input, print) =>
      print.table(
        ['table', 'shards', 'done'],
        (await distributeUsage(db)).map(({ table, shards, isNew }) => ({
          table,
          shards: String(shards),
          done: isNew ? 'distributed' : 'was distributed',
        })),
      ),
  }),
];
