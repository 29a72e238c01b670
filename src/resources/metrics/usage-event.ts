// One usage event as it comes in, from whichever door, and as it is kept.
import { isBillingDimension } from './dimensions.js';
import { costDigits, costMaxUsd, unitsFromDecimal, usageDigits, usageMax } from './amounts.js';
import { instantFromText } from './instant.js';

/** The fields of an event, in every form that it has. */
export const usageFields = [
  'source',
  'id',
  'account',
  'workspace',
  'resourceType',
  'resourceName',
  'resourceUuid',
  'billingDimension',
  'time',
  'usage',
  'cost',
] as const;

export type UsageField = (typeof usageFields)[number];

/** An event whose fields have been read. */
export interface UsageEvent {
  source: string;
  id: string;
  /** As it was written: the account's name or id. */
  account: string;
  workspace: string;
  resourceType: string;
  resourceName: string;
  /** Empty where the resource type has none. */
  resourceUuid: string;
  billingDimension: string;
  hour: number;
  nano: number;
  /** Micro-units, as text. */
  usage: string;
  /** Nano-dollars, as text. */
  cost: string;
}

/** Why an event is not taken. */
export interface InvalidUsage {
  field: UsageField;
  rule: string;
}

const lengthMax = 200;
const simple = /^[\u0020-\u007e]{1,200}$/;

/** Reads one event, or says which field breaks which rule. Fields that are not known are ignored. */
export function usageEventFrom(given: unknown): UsageEvent | InvalidUsage {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { field: 'source', rule: 'is missing: an event is an object' };
  }
  const read: Partial<Record<UsageField, unknown>> = given;
  const { source, id, account, workspace, resourceType, resourceName, billingDimension, time } = read;
  const resourceUuid = read.resourceUuid ?? '';
  if (!isName(source)) return refusal('source', source);
  if (!isName(id)) return refusal('id', id);
  if (!isName(account)) return refusal('account', account);
  if (!isName(workspace)) return refusal('workspace', workspace);
  if (!isName(resourceType)) return refusal('resourceType', resourceType);
  if (!isName(resourceName)) return refusal('resourceName', resourceName);
  if (resourceUuid !== '' && !isName(resourceUuid)) return refusal('resourceUuid', resourceUuid);
  if (!isName(billingDimension)) return refusal('billingDimension', billingDimension);
  if (!isBillingDimension(billingDimension)) return { field: 'billingDimension', rule: 'is not a billing dimension' };
  if (typeof time !== 'string') return refusal('time', time);
  const instant = instantFromText(time);
  if ('rule' in instant) return { field: 'time', rule: instant.rule };
  const usage = unitsFromDecimal(read.usage, usageDigits, usageMax);
  if (typeof usage !== 'string') return { field: 'usage', rule: usage.rule };
  const cost = unitsFromDecimal(read.cost, costDigits, costMaxUsd);
  if (typeof cost !== 'string') return { field: 'cost', rule: cost.rule };
  const { hour, nano } = instant;
  return {
    source,
    id,
    account,
    workspace,
    resourceType,
    resourceName,
    resourceUuid,
    billingDimension,
    hour,
    nano,
    usage,
    cost,
  };
}

/** A text of 1 to 200 characters that PostgreSQL can keep, and that means the same to every reader. */
function isName(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  return simple.test(value) || (value !== '' && value.length <= lengthMax && !/[\p{Cc}\p{Cs}]/u.test(value));
}

function refusal(field: UsageField, value: unknown): InvalidUsage {
  if (value === undefined || value === null || value === '') return { field, rule: 'is missing' };
  if (typeof value !== 'string') return { field, rule: 'must be a text' };
  return { field, rule: `must be at most ${lengthMax} characters, none of them a control character` };
}
