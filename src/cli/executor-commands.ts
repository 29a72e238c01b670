import { z } from 'zod';
import { everyRegion, executorKinds } from '../lifecycle/work-kinds.js';
import {
  createExecutor,
  deleteExecutor,
  revokeExecutor,
  updateExecutor,
} from '../resources/executors/executor-changes.js';
import { defineCommand, described, UsageError } from './command.js';
import type { Command } from './command.js';
import { keyExpiry, keyExpiryInput } from './expiry.js';
import { listAll } from './operator/list-all.js';
import { frameContext } from './operator/operator-context.js';
import { listExecutors } from '../resources/executors/executors.js';
import { addressRangeList } from './inputs.js';
import { changeKindName, changeKindSpelled, isKind } from '../changes/change-subjects.js';
import { isSpelling } from '../resource-kinds.js';
import { wordsIn } from '../config/setting-forms.js';

const executorName = described(
  z.string().regex(/^[a-z0-9]([a-z0-9-]{0,47}[a-z0-9])?$/, 'must be 1 to 49 lowercase letters, digits and hyphens'),
  'NAME',
  'Name of the executor: lowercase letters, digits and hyphens.',
);

/** A list of words without duplicates. */
const names = z
  .string()
  .transform((text) => [...new Set(wordsIn(text))])
  .superRefine((list, issues) => {
    if (list.length === 0) issues.addIssue('must contain at least one name');
  });

const everyKind = 'all';

const kinds = names
  .superRefine((list, issues) => {
    const unknown = list.filter((word) => !isSpelling(word, everyKind) && !isExecuted(changeKindSpelled(word)));
    if (unknown.length > 0) issues.addIssue(`unknown kind ${unknown.join(', ')}`);
  })
  .transform((list) =>
    list.some((word) => isSpelling(word, everyKind))
      ? [...executorKinds]
      : [...new Set(list.flatMap((word) => changeKindSpelled(word) ?? []))],
  );

const expiryForms = 'a date (2027-01-31, its start in UTC), a duration from now (90d, 12h, 30m, 2w), or never';

const addresses = described(
  z
    .union([z.literal('any').transform((): string[] => []), addressRangeList], {
      error: 'must be address ranges such as 203.0.113.0/24, or any',
    })
    .optional(),
  'RANGES',
  'Address ranges that can use its key, in quotes, such as "203.0.113.0/24 2001:db8::/48", or any.',
);

/** The name of a kind on the command line, as in manifests. */
function kindWord(kind: string): string {
  return isKind(kind) ? changeKindName(kind) : kind;
}

function isExecuted(kind: string | undefined): boolean {
  return kind !== undefined && executorKinds.includes(kind);
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
        [everyKind, ...executorKinds.map(kindWord)],
      ),
      expires: described(
        keyExpiry.optional(),
        'WHEN',
        `Expiry of its key: ${expiryForms}. Default: API_KEY_DAYS_DEFAULT.`,
      ),
      addresses,
    }),
    run: async (admin, input, print) => {
      const { addresses: addressRanges, name, regions, kinds: executed } = input;
      const expiry = keyExpiryInput(admin, input.expires);
      const given = { name, regions, kinds: executed, addressRanges, ...expiry };
      const { key, executor } = await createExecutor(await frameContext(admin), given);
      const { id, expiresAt } = executor;
      const where = input.regions.join(', ');
      const end = expiresAt === null ? 'Its key does not expire.' : `Its key expires at ${expiresAt.toISOString()}.`;
      print.secret(
        `Registered the executor ${input.name} for ${where}. ${end} Save it now. It is not shown again.`,
        { key },
        { id, name: input.name, expiresAt },
      );
    },
  }),
  defineCommand({
    name: 'executors list',
    summary: 'List executors, and when each was last seen.',
    input: z.object({}),
    run: async (admin, _input, print) => {
      const ctx = await frameContext(admin);
      const byName = { field: 'name', direction: 'asc' } as const;
      const executors = await listAll((input) => listExecutors(ctx, { ...input, isOfAll: true }), byName);
      print.table(
        ['name', 'regions', 'kinds', 'prefix', 'addresses', 'createdAt', 'expiresAt', 'lastSeenAt', 'revokedAt'],
        executors.map((each) => ({
          ...each,
          regions: each.regions.join(' '),
          kinds: each.kinds.map(kindWord).join(' '),
          addresses: each.addressRanges.join(' '),
        })),
      );
    },
  }),
  defineCommand({
    name: 'executors update',
    summary: 'Change when the key of an executor expires, and from where it works. It applies within one second.',
    argument: 'name',
    input: z.object({
      name: executorName,
      expires: described(keyExpiry.optional(), 'WHEN', `New expiry of its key: ${expiryForms}.`),
      addresses,
    }),
    run: async (admin, { name, ...input }, print) => {
      if (input.expires === undefined && input.addresses === undefined) {
        throw new UsageError('--expires or --addresses: must be set');
      }
      const expiry = keyExpiryInput(admin, input.expires);
      const given = { name, ...expiry, ...(input.addresses && { addressRanges: input.addresses }) };
      const executor = await updateExecutor(await frameContext(admin), given);
      const end = executor.expiresAt === null ? 'does not expire' : `expires at ${executor.expiresAt.toISOString()}`;
      const where =
        executor.addressRanges.length === 0 ? 'from any address' : `from ${executor.addressRanges.join(', ')}`;
      const { addressRanges } = executor;
      print.done(`The key of the executor ${name} ${end} and works ${where}.`, {
        name,
        expiresAt: executor.expiresAt,
        addresses: addressRanges.join(' '),
      });
    },
  }),
  defineCommand({
    name: 'executors revoke',
    summary: 'Revoke an executor. Its key stops working within one second, and its leases end.',
    argument: 'name',
    input: z.object({ name: executorName }),
    run: async (admin, { name }, print) => {
      const { revokedAt } = await revokeExecutor(await frameContext(admin), { name });
      print.done(`Revoked the executor ${name} as of ${revokedAt?.toISOString()}.`, { name, revokedAt });
    },
  }),
  defineCommand({
    name: 'executors delete',
    summary: 'Delete a revoked executor.',
    argument: 'name',
    input: z.object({ name: executorName }),
    run: async (admin, { name }, print) => {
      await deleteExecutor(await frameContext(admin), { name });
      print.done(`Deleted the executor ${name}.`, { name });
    },
  }),
];
