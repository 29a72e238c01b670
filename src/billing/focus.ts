// Charges in the columns of FOCUS 1.2 (FinOps Open Cost and Usage Specification): the mandatory columns, and
// conditional ones that apply. A line is the usage of one resource with the same labels and one billing dimension in a
// period.
import { billingDimensions, isBillingDimension } from '../metering/dimensions.js';
import { creditDimensions } from '../metering/billing-catalog.js';
import type { BillingCatalog } from '../metering/billing-catalog.js';
import { nanosPerHour, textFromInstant } from '../metering/instant.js';
import type { Instant } from '../metering/instant.js';
import { csvLine } from './csv.js';
import type { CellOf } from './csv.js';
import type { MetricsQuery } from './metrics-query.js';
import { bucketTimes, costText, isZero, usageText } from './report.js';
import type { BucketAmounts, MetricsGroup } from './report.js';

/** In alphabetical order, like the specification. */
const columns = [
  'BilledCost',
  'BillingAccountId',
  'BillingAccountName',
  'BillingCurrency',
  'BillingPeriodEnd',
  'BillingPeriodStart',
  'ChargeCategory',
  'ChargeClass',
  'ChargeDescription',
  'ChargeFrequency',
  'ChargePeriodEnd',
  'ChargePeriodStart',
  'ConsumedQuantity',
  'ConsumedUnit',
  'ContractedCost',
  'EffectiveCost',
  'InvoiceId',
  'InvoiceIssuerName',
  'ListCost',
  'PricingCategory',
  'PricingQuantity',
  'PricingUnit',
  'ProviderName',
  'PublisherName',
  'ResourceId',
  'ResourceName',
  'ResourceType',
  'ServiceCategory',
  'ServiceName',
  'ServiceSubcategory',
  'SkuId',
  'SkuPriceId',
  'SubAccountId',
  'SubAccountName',
  'Tags',
] as const;

type Column = (typeof columns)[number];

export const focusHead = csvLine(columns);

/** The parties of the bill: the billed account, the provider and the service. */
export interface Bill {
  account: { id: string; name: string };
  /** The name of the service's operator. */
  provider: string;
  catalog: BillingCatalog;
}

/** Formats a line for each charge. The groups must be by all dimensions and labels. */
export function focusLines(query: MetricsQuery, groups: readonly MetricsGroup[], bill: Bill, cellOf: CellOf): string {
  const periods = periodsOf(query);
  const credits = new Set(creditDimensions(bill.catalog));
  const ofBill: Cells = {
    BillingAccountId: bill.account.id,
    BillingAccountName: bill.account.name,
    BillingCurrency: 'USD',
    InvoiceIssuerName: bill.provider,
    ProviderName: bill.provider,
    PublisherName: bill.provider,
  };
  let text = '';
  for (const { values, buckets } of groups) {
    const isCredit = credits.has(values.billing_dimension ?? '');
    const texts = { ...ofBill, ...skuOf(values, bill.catalog), ...(isCredit ? ofCredit : ofUsage) };
    const ofGroup = Object.fromEntries(Object.entries(texts).map(([column, text]) => [column, cellOf(text)]));
    for (const [order, amounts] of Array.from(buckets).toSorted(([one], [other]) => one - other)) {
      if (isZero(amounts)) continue;
      const quantities = isCredit ? {} : quantitiesOf(amounts);
      text += lineOf({ ...ofGroup, ...periods[order], ...costsOf(amounts), ...quantities });
    }
  }
  return text;
}

type Cells = Partial<Record<Column, string>>;

const ofUsage: Cells = { ChargeCategory: 'Usage', ChargeFrequency: 'Usage-Based', PricingCategory: 'Standard' };

/** A credit has no consumption and no price, so quantities and units are empty. */
const ofCredit: Cells = { ChargeCategory: 'Credit', ChargeFrequency: 'One-Time', ConsumedUnit: '', PricingUnit: '' };

function lineOf(cells: Cells): string {
  let line = cells[columns[0]] ?? '';
  for (const column of columns.slice(1)) line += `,${cells[column] ?? ''}`;
  return `${line}\r\n`;
}

/** All cost columns have the recorded cost, because there are no discounts and no separate list prices. */
function costsOf(amounts: BucketAmounts): Cells {
  const cost = costText(amounts);
  return { BilledCost: cost, ContractedCost: cost, EffectiveCost: cost, ListCost: cost };
}

function quantitiesOf(amounts: BucketAmounts): Cells {
  const usage = usageText(amounts);
  return { ConsumedQuantity: usage, PricingQuantity: usage };
}

function skuOf(values: MetricsGroup['values'], { dimensions }: BillingCatalog): Cells {
  const { billing_dimension: sku = '', resource_type: type = '', workspace = '' } = values;
  const { resource_uuid: id = '', resource_name: name = '' } = values;
  const known = isBillingDimension(sku) ? billingDimensions[sku] : dimensions.get(sku);
  const unit = known === undefined ? '' : (unitNames.get(known.unit) ?? known.unit);
  const service = services.get(type) ?? { name: type, category: 'Other', subcategory: 'Other (Other)' };
  return {
    ChargeDescription: known?.description || sku,
    ConsumedUnit: unit,
    PricingUnit: unit,
    // A resource type without ids has unique names.
    ResourceId: id === '' ? name : id,
    ResourceName: name,
    ResourceType: type,
    ServiceCategory: service.category,
    ServiceName: service.name,
    ServiceSubcategory: service.subcategory,
    SkuId: sku,
    SkuPriceId: sku,
    SubAccountId: workspace,
    SubAccountName: workspace,
    // The labels that the resource had at the time of the charge, as JSON.
    Tags: values.tags ?? '',
  };
}

/** The specification's spelling of units. */
const unitNames = new Map(Object.entries({ gbs: 'GB-Seconds', count: 'Requests', hours: 'Hours' }));

const serviceOfType = {
  agent: { name: 'Agents', category: 'Compute', subcategory: 'Serverless Compute' },
  sandbox: { name: 'Sandboxes', category: 'Compute', subcategory: 'Virtual Machines' },
  job: { name: 'Jobs', category: 'Compute', subcategory: 'Serverless Compute' },
  mcp_server: { name: 'MCP Servers', category: 'Compute', subcategory: 'Serverless Compute' },
  volume: { name: 'Volumes', category: 'Storage', subcategory: 'Block Storage' },
  custom_domain: { name: 'Custom Domains', category: 'Networking', subcategory: 'Application Networking' },
};

/**
 * Services by resource type. They are listed by their name, too, because a raw resource type can be one, and a service
 * name has only one category.
 */
const services = new Map(
  Object.entries(serviceOfType).flatMap(([type, service]) => [
    [type, service],
    [service.name, service],
  ]),
);

/** Returns the charge period and billing period of each bucket, clipped to the window. */
function periodsOf(query: MetricsQuery): Cells[] {
  const start = textFromInstant(wholeSecond(query.window.start, Math.floor));
  const end = textFromInstant(wholeSecond(query.window.end, Math.ceil));
  const times = bucketTimes(query);
  return times.map((time, order) => {
    const month = time.slice(0, 'YYYY-MM'.length);
    return {
      BillingPeriodStart: `${month}-01T00:00:00Z`,
      BillingPeriodEnd: `${monthAfter(month)}-01T00:00:00Z`,
      ChargePeriodStart: order === 0 ? start : time,
      ChargePeriodEnd: times[order + 1] ?? end,
    };
  });
}

const nanosPerSecond = 1_000_000_000;

/** FOCUS has no fractions of seconds, so the charge period is rounded outward. */
function wholeSecond({ hour, nano }: Instant, round: (value: number) => number): Instant {
  const rounded = round(nano / nanosPerSecond) * nanosPerSecond;
  return rounded === nanosPerHour ? { hour: hour + 1, nano: 0 } : { hour, nano: rounded };
}

function monthAfter(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
}
