import { z } from 'zod';
import { quotaResourceNames } from '../accounts/quota.js';
import type { LimitInput } from '../accounts/quota.js';
import { setQuotas } from '../accounts/quota-changes.js';
import { getQuotas } from '../accounts/quotas.js';
import type { QuotaSet, WhichQuotas } from '../accounts/quotas.js';
import { nameForPeople } from '../schema/text.js';
import { defineCommand, described } from './command.js';
import type { Command } from './command.js';
import { accountName, workspaceName } from './inputs.js';
import { frameContext, platformContext } from './operator/operator-context.js';
import type { OperatorServices } from './operator/operator-context.js';
import type { Print } from './print.js';

const which = {
  account: described(accountName.optional(), 'ACCOUNT', 'Name of the account.'),
  workspace: described(workspaceName.optional(), 'WORKSPACE', 'Name of a workspace, for its limits.'),
  region: described(
    z.string().min(1).max(63).optional(),
    'REGION',
    'Name of a region, for the limits of the account there.',
  ),
  plan: described(
    nameForPeople(63).optional(),
    'PLAN',
    'Name of a plan, whose limits are the defaults of its accounts.',
  ),
};

const limitsRule = `must be limits such as AGENT=10,MEMORY=none, of: ${quotaResourceNames.join(', ')}`;

/** Limits such as `AGENT=10,MEMORY=none`. */
const limits = z.string().transform((text, issues): LimitInput[] => {
  const read = text.split(',').map((item) => {
    const [name = '', value = '', ...more] = item.trim().split('=');
    const resource = quotaResourceNames.find((each) => each === name.toUpperCase());
    const isLimit = more.length === 0 && (value === 'none' || /^\d{1,15}$/.test(value));
    return resource === undefined || !isLimit
      ? undefined
      : { resource, limit: value === 'none' ? null : Number(value) };
  });
  if (read.includes(undefined)) issues.addIssue(limitsRule);
  return read.flatMap((each) => each ?? []);
});

export const quotaCommands: Command[] = [
  defineCommand({
    name: 'quotas get',
    summary: 'Show the limits of an account, a workspace, a region or a plan, with their use.',
    input: z.object(which),
    run: async (admin, input, print) => printQuotas(print, await getQuotas(await contextOf(admin, input), input)),
  }),
  defineCommand({
    name: 'quotas set',
    summary: 'Set limits of an account, a workspace, a region or a plan.',
    argument: 'limits',
    input: z.object({
      limits: described(
        limits,
        'LIMITS',
        'Limits, separated by commas: AGENT=10,MEMORY=65536. "none" removes a limit.',
      ),
      ...which,
    }),
    run: async (admin, input, print) => {
      const { quotas, ...set } = await setQuotas(await contextOf(admin, input), input);
      const name = set.plan ?? set.workspace ?? set.region ?? set.account ?? '';
      const record = Object.fromEntries(quotas.map(({ resource, limit }) => [resource, String(limit)]));
      print.done(`Set the quotas of the ${set.subject} ${name}.`, { name, version: String(set.version), ...record });
    },
  }),
];

/** Only changes of plans are recorded in the change log of the platform's account. */
function contextOf(admin: OperatorServices, { plan }: WhichQuotas) {
  return plan == null ? frameContext(admin) : platformContext(admin);
}

function printQuotas(print: Print, { quotas }: QuotaSet): void {
  print.table(
    ['resource', 'limit', 'used', 'source'],
    quotas.map(({ resource, limit, used, isDefault }) => ({
      resource,
      limit: String(limit),
      used: used === null ? null : String(used),
      source: isDefault ? 'plan' : 'own',
    })),
  );
}
