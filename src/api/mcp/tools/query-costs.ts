import { z } from 'zod';
import { ToolError } from '../tool-call.js';
import { defineTool, readOnly } from '../tool.js';
import {
  fittingPage,
  hasMore,
  inputItemsMax,
  listedIn,
  mapIn,
  mapsIn,
  nameInput,
  pageInput,
  timeInput,
  withoutEmpty,
} from '../tool-result.js';

const dayMs = 86_400_000;

export const queryCosts = defineTool({
  name: 'query_costs',
  title: 'Query costs',
  description:
    'Returns what an account cost in a period: the total, and the cost by groups such as workspace or resource type, ' +
    'most expensive first. Amounts are US dollars as exact decimals.',
  input: z.strictObject({
    account: nameInput.optional().describe('Name of the account. Required if the credential has several.'),
    startTime: timeInput.optional().describe('Start, such as 2026-11-01T00:00:00Z (default: 30 days before the end).'),
    endTime: timeInput.optional().describe('End, exclusive (default: now).'),
    groupBy: z
      .array(z.enum(['WORKSPACE', 'RESOURCE_TYPE', 'RESOURCE_NAME', 'RESOURCE_UUID', 'BILLING_DIMENSION']))
      .max(inputItemsMax)
      .default(['RESOURCE_TYPE'])
      .describe('What to group by (default: RESOURCE_TYPE).'),
    workspace: nameInput.optional().describe('Only the cost of this workspace.'),
    resourceType: nameInput.optional().describe('Only the cost of this resource type, such as agent.'),
    resolution: z
      .enum(['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY'])
      .optional()
      .describe('Adds the cost of each hour, day, week or month to every group.'),
    timeZone: nameInput.optional().describe('Time zone of days, weeks and months (default: UTC).'),
    ...pageInput,
  }),
  annotations: readOnly,
  run: async (call, { account, maxBytes, startTime, endTime, ...input }) => {
    const end = endTime ?? call.now().toISOString();
    const start = startTime ?? startBefore(end);
    const withTimeseries = input.resolution !== undefined;
    const variables = { ...input, startTime: start, endTime: end, withTimeseries };
    const { data, errors, denied } = await call.execute('query-costs', { variables });
    const accounts = mapsIn(mapIn(data['viewer'])['accounts']);
    const names = accounts.map(({ name }) => String(name));
    const found = accounts.find(({ name }) => name === account) ?? (accounts.length === 1 ? accounts[0] : undefined);
    if (found === undefined || (account !== undefined && found['name'] !== account)) {
      throw new ToolError('invalid_parameter', `account must be one of: ${names.slice(0, 20).join(', ')}.`);
    }
    if (found['metrics'] == null)
      throw denied ?? errors[0] ?? new ToolError('forbidden', 'This credential cannot read costs.');
    const { entries, summary, ...window } = mapIn(found['metrics']);
    const page = mapIn(entries);
    const head = withoutEmpty({
      account: found['name'],
      dataThrough: found['dataThrough'],
      ...window,
      ...mapIn(summary),
      totalCount: page['totalCount'],
    });
    return fittingPage(head, 'groups', listedIn(page, withoutEmpty), hasMore(page), maxBytes);
  },
});

function startBefore(end: string): string {
  const endMs = Date.parse(end);
  if (Number.isNaN(endMs))
    throw new ToolError('invalid_parameter', 'endTime must be a time such as 2026-11-01T00:00:00Z.');
  return new Date(endMs - 30 * dayMs).toISOString();
}
