import { z } from 'zod';
import { amendSelectedUsage, voidSelectedUsage, voidUsage } from '../metering/usage-adjustments.js';
import type { CorrectedUsage } from '../metering/corrected-usage.js';
import { usageEventStates } from '../metering/usage-event-filter.js';
import type { UsageEventState } from '../metering/usage-event-filter.js';
import { usageFileFormats } from '../metering/usage-file.js';
import { countUsageBefore, dropUsageBefore } from '../metering/usage-retention.js';
import { defineCommand, described, dryRunDescription, switchInput, unconfirmed, UsageError } from './command.js';
import type { Command } from './command.js';
import { accountName, labelFilters, time } from './inputs.js';
import { operatorContext } from './operator/operator-context.js';
import { counted } from './print.js';
import type { Print } from './print.js';
import { importUsage } from './usage-import.js';

const format = z.enum(usageFileFormats, { error: `must be one of: ${usageFileFormats.join(', ')}` });

const text = z.string().min(1).optional();
const states = Object.keys(usageEventStates);
const isState = (word: string): word is UsageEventState => states.includes(word);

/** The events to correct, and why. */
const selection = {
  account: described(accountName, 'ACCOUNT', 'Name of the account.'),
  reason: described(z.string().min(1), 'TEXT', 'Reason for the correction, recorded in the change log.'),
  from: described(time.optional(), 'TIME', 'Only events at this date (its start in UTC) or time, or later.'),
  to: described(time.optional(), 'TIME', 'Only events before this date or time.'),
  workspace: described(text, 'WORKSPACE', 'Only events of this workspace.'),
  resourceType: described(text, 'TYPE', 'Only events of this resource type.'),
  resourceName: described(text, 'NAME', 'Only events of resources with this name.'),
  resourceUuid: described(text, 'UUID', 'Only events of the resource with this UUID or instance id.'),
  billingDimension: described(text, 'DIMENSION', 'Only events of this billing dimension.'),
  label: described(
    labelFilters.optional(),
    'KEY=VALUE,…',
    'Only events of resources that had these labels at the time. A key alone means any value.',
  ),
  source: described(text, 'SOURCE', 'Only events of this source.'),
  eventId: described(text, 'ID', 'Only events with this id.'),
  state: described(
    z
      .string()
      .refine(isState, { error: `must be one of: ${states.join(', ')}` })
      .optional(),
    'STATE',
    'Only events in this state: active or amended. Voided events never match.',
    states,
  ),
  dryRun: switchInput(dryRunDescription),
};

type Selection = z.output<z.ZodObject<typeof selection>>;

/** The filter of a selection. */
function filterOf({ from, to, label, account: _account, reason: _reason, dryRun: _dryRun, ...filter }: Selection) {
  const given = { ...filter, labels: label, startTime: from, endTime: to };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function printCorrected(
  print: Print,
  done: 'voided' | 'amended',
  { count, costBefore, costAfter }: CorrectedUsage,
  isDryRun: boolean,
): void {
  const verb = isDryRun ? `would be ${done}` : `${done}`;
  const sentence = `${counted(count, 'event')} ${verb}. Cost: ${costBefore} USD before, ${costAfter} USD after.`;
  print.done(sentence, { events: String(count), costBefore, costAfter, dryRun: isDryRun });
}

export const usageCommands: Command[] = [
  defineCommand({
    name: 'usage void',
    summary: 'Void usage events, so that they no longer count. At most 10,000 at a time.',
    input: z.object({
      ...selection,
      ids: described(text, 'IDS', 'Ids of events of the source, separated by commas, in place of a filter.'),
    }),
    run: async (admin, { ids, ...selected }, print) => {
      const { account, reason, source, dryRun } = selected;
      const filter = filterOf(selected);
      const isById = ids !== undefined;
      if (isById && (source === undefined || Object.keys(filter).length > 1)) {
        throw new UsageError('--ids: requires --source, and cannot be combined with other conditions');
      }
      const ctx = await operatorContext(admin, { account });
      const input = { account, reason, validateOnly: dryRun === 'yes' };
      const corrected =
        isById && source !== undefined
          ? await voidUsage(ctx, { ...input, source, ids: ids.split(',') })
          : await voidSelectedUsage(ctx, { ...input, filter });
      printCorrected(print, 'voided', corrected, input.validateOnly);
    },
  }),
  defineCommand({
    name: 'usage amend',
    summary: 'Change fields of usage events. At most 10,000 at a time; all change or none.',
    input: z.object({
      ...selection,
      setWorkspace: described(text, 'WORKSPACE', 'New workspace.'),
      setResourceType: described(text, 'TYPE', 'New resource type.'),
      setResourceName: described(text, 'NAME', 'New name of the resource.'),
      setResourceUuid: described(text, 'UUID', 'New UUID or instance id of the resource.'),
      setBillingDimension: described(text, 'DIMENSION', 'New billing dimension.'),
      setUsage: described(text, 'AMOUNT', 'New amount of each event.'),
      setCost: described(text, 'USD', 'New cost of each event.'),
      setUnitPrice: described(text, 'USD', 'New price of a unit: the cost becomes the usage times this price.'),
    }),
    run: async (
      admin,
      {
        setWorkspace,
        setResourceType,
        setResourceName,
        setResourceUuid,
        setBillingDimension,
        setUsage,
        setCost,
        setUnitPrice,
        ...selected
      },
      print,
    ) => {
      const { account, reason, dryRun } = selected;
      const change = {
        workspace: setWorkspace,
        resourceType: setResourceType,
        resourceName: setResourceName,
        resourceUuid: setResourceUuid,
        billingDimension: setBillingDimension,
        usage: setUsage,
        cost: setCost,
        unitPrice: setUnitPrice,
      };
      const ctx = await operatorContext(admin, { account });
      const validateOnly = dryRun === 'yes';
      const corrected = await amendSelectedUsage(ctx, {
        account,
        reason,
        filter: filterOf(selected),
        change,
        validateOnly,
      });
      printCorrected(print, 'amended', corrected, validateOnly);
    },
  }),
  defineCommand({
    name: 'usage import',
    summary: 'Record usage events from a file. It is safe to run again: no event is counted twice.',
    argument: 'file',
    input: z.object({
      file: described(
        z.string().min(1),
        'FILE',
        'NDJSON, or CSV with a header line, optionally compressed (.gz), or - for standard input.',
      ),
      format: described(
        format.optional(),
        'FORMAT',
        'Input format: ndjson or csv. Default: by the extension of the file.',
      ),
      rejects: described(
        z.string().min(1).optional(),
        'FILE',
        'New file for rejected events with their reasons. Fix them there and import the file.',
      ),
      byName: switchInput(
        'Record events without a resourceUuid for the agent, sandbox, job or volume that had their name at their time.',
      ),
    }),
    run: (admin, { file, format, rejects, byName }, print) =>
      importUsage(admin, { file, format, rejects, isByName: byName === 'yes' }, print),
  }),
  defineCommand({
    name: 'usage drop',
    summary:
      'Delete the raw usage events of old months. Hourly costs stay. Events of those months can no longer be recorded, voided or amended.',
    input: z.object({
      before: described(
        z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-04'),
        'MONTH',
        'First month to keep, such as 2026-04.',
      ),
      dryRun: switchInput(dryRunDescription),
      yes: switchInput('Delete without asking. Required without a terminal.'),
    }),
    run: async ({ db, usageMemory, now }, { before, dryRun, yes }, print) => {
      // Dropping cannot be undone: a future month would end all recording.
      if (before > now().toISOString().slice(0, 7)) throw new UsageError('--before: must not be in the future');
      const isDryRun = dryRun === 'yes';
      if (!isDryRun && yes === undefined) throw unconfirmed('usage drop');
      const drop = isDryRun ? countUsageBefore : dropUsageBefore;
      const { events, months } = await drop(db, usageMemory, before, now());
      const what = `${counted(events, 'event')} before ${before}, from ${counted(months, 'month')}`;
      const sentence =
        `${isDryRun ? `Would delete ${what}.` : `Deleted ${what}.`} ` +
        `Events of that time ${isDryRun ? 'could then' : 'can'} no longer be recorded, voided or amended.`;
      print.done(sentence, { before, events: String(events), months: String(months), dryRun: isDryRun });
    },
  }),
];
