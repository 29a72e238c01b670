import { z } from 'zod';
import { everyRegion, executorKinds } from '../lifecycle/work-kinds.js';
import { createExecutor, deleteExecutor, listExecutors, revokeExecutor } from './operator/all-executors.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';

const executorName = described(
  z.string().regex(/^[a-z0-9]([a-z0-9-]{0,47}[a-z0-9])?$/, 'must be 1 to 49 lowercase letters, digits and hyphens'),
  'NAME',
  'Its name: lowercase letters, digits and hyphens.',
);

/** Words in one text, each once. */
const words = z
  .string()
  .transform((text) => [...new Set(text.split(/[\s,]+/).filter((word) => word !== ''))])
  .superRefine((given, issues) => {
    if (given.length === 0) issues.addIssue('must name at least one');
  });

const kinds = words
  .transform((given) => given.map((word) => word.toUpperCase().replaceAll('-', '_')))
  .superRefine((given, issues) => {
    const unknown = given.filter((word) => word !== 'ALL' && !executorKinds.includes(word));
    if (unknown.length > 0) issues.addIssue(`there is no kind ${unknown.join(', ')}`);
  })
  .transform((given) => (given.includes('ALL') ? [...executorKinds] : given));

export const executorCommands: Command[] = [
  defineCommand({
    name: 'executors create',
    summary: 'Register a program that carries out what is wanted, and print its key.',
    argument: 'name',
    input: z.object({
      name: executorName,
      regions: described(
        words,
        'REGIONS',
        `Where it works: names of regions with commas between them, or "${everyRegion}" for all of them and none.`,
      ),
      kinds: described(
        kinds,
        'KINDS',
        `For what: "all", or some of ${executorKinds
          .map((kind) => kind.toLowerCase().replaceAll('_', '-'))
          .join(', ')}.`,
      ),
    }),
    run: async ({ db, now }, input, print) => {
      const { key, id } = await createExecutor(db, input, now());
      const where = input.regions.join(', ');
      print.secret(
        `Registered the executor ${input.name} for ${where}. Keep its key now: it is not shown again.`,
        { key },
        { id, name: input.name },
      );
    },
  }),
  defineCommand({
    name: 'executors list',
    summary: 'List the executors, and when each was last seen.',
    input: z.object({}),
    run: async ({ db }, _input, print) => {
      const executors = await listExecutors(db);
      print.table(
        ['name', 'regions', 'kinds', 'prefix', 'createdAt', 'lastSeenAt', 'revokedAt'],
        executors.map((each) => ({ ...each, regions: each.regions.join(' '), kinds: each.kinds.join(' ') })),
      );
    },
  }),
  defineCommand({
    name: 'executors revoke',
    summary: 'Revoke an executor. Its key stops working within one second; what it held goes to others.',
    argument: 'name',
    input: z.object({ name: executorName }),
    run: async ({ db, now }, { name }, print) => {
      const { revokedAt } = await revokeExecutor(db, name, now());
      print.done(`Revoked the executor ${name} as of ${revokedAt.toISOString()}.`, { name, revokedAt });
    },
  }),
  defineCommand({
    name: 'executors delete',
    summary: 'Remove an executor that was revoked; its name is free again.',
    argument: 'name',
    input: z.object({ name: executorName }),
    run: async ({ db }, { name }, print) => {
      await deleteExecutor(db, name);
      print.done(`Removed the executor ${name}.`, { name });
    },
  }),
];
