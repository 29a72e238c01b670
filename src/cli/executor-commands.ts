import { z } from 'zod';
import { everyRegion, executorKinds } from '../lifecycle/work-kinds.js';
import { createExecutor, deleteExecutor, listExecutors, revokeExecutor } from './operator/all-executors.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';

const executorName = described(
  z.string().regex(/^[a-z0-9]([a-z0-9-]{0,47}[a-z0-9])?$/, 'must be 1 to 49 lowercase letters, digits and hyphens'),
  'NAME',
  'Name of the executor: lowercase letters, digits and hyphens.',
);

/** A list of words without duplicates. */
const names = z
  .string()
  .transform((text) => [...new Set(text.split(/[\s,]+/).filter((word) => word !== ''))])
  .superRefine((list, issues) => {
    if (list.length === 0) issues.addIssue('must contain at least one name');
  });

const kinds = names
  .transform((list) => list.map((word) => word.toUpperCase().replaceAll('-', '_')))
  .superRefine((list, issues) => {
    const unknown = list.filter((word) => word !== 'ALL' && !executorKinds.includes(word));
    if (unknown.length > 0) issues.addIssue(`unknown kind ${unknown.join(', ')}`);
  })
  .transform((list) => (list.includes('ALL') ? [...executorKinds] : list));

/** The name of a kind on the command line. */
function kindWord(kind: string): string {
  return kind.toLowerCase().replaceAll('_', '-');
}

export const executorCommands: Command[] = [
  defineCommand({
    name: 'executors create',
    summary: 'Register an executor, and print its key. The key is shown only once.',
    argument: 'name',
    input: z.object({
      name: executorName,
      regions: described(
        names,
        'REGIONS',
        `Regions that it serves, separated by commas, or "${everyRegion}" for all resources, with or without a region.`,
      ),
      kinds: described(
        kinds,
        'KINDS',
        `Resource kinds that it reconciles, separated by commas: "all", or some of ${executorKinds
          .map(kindWord)
          .join(', ')}.`,
      ),
    }),
    run: async ({ db, now }, input, print) => {
      const { key, id } = await createExecutor(db, input, now());
      const where = input.regions.join(', ');
      print.secret(
        `Registered the executor ${input.name} for ${where}. Save its key now. It is not shown again.`,
        { key },
        { id, name: input.name },
      );
    },
  }),
  defineCommand({
    name: 'executors list',
    summary: 'List executors, and when each was last seen.',
    input: z.object({}),
    run: async ({ db }, _input, print) => {
      const executors = await listExecutors(db);
      print.table(
        ['name', 'regions', 'kinds', 'prefix', 'createdAt', 'lastSeenAt', 'revokedAt'],
        executors.map((each) => ({
          ...each,
          regions: each.regions.join(' '),
          kinds: each.kinds.map(kindWord).join(' '),
        })),
      );
    },
  }),
  defineCommand({
    name: 'executors revoke',
    summary: 'Revoke an executor. Its key stops working within one second, and its leases end.',
    argument: 'name',
    input: z.object({ name: executorName }),
    run: async ({ db, now }, { name }, print) => {
      const { revokedAt } = await revokeExecutor(db, name, now());
      print.done(`Revoked the executor ${name} as of ${revokedAt.toISOString()}.`, { name, revokedAt });
    },
  }),
  defineCommand({
    name: 'executors delete',
    summary: 'Delete a revoked executor.',
    argument: 'name',
    input: z.object({ name: executorName }),
    run: async ({ db }, { name }, print) => {
      await deleteExecutor(db, name);
      print.done(`Deleted the executor ${name}.`, { name });
    },
  }),
];
