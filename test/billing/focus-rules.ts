// The rules of FOCUS 1.2 for the columns of a data set, written from the specification
// (https://focus.finops.org/focus-specification/v1-2/). An empty cell is null.

export type Charge = Readonly<Record<string, string>>;

const mandatory = [
  'BilledCost',
  'BillingAccountId',
  'BillingAccountName',
  'BillingCurrency',
  'BillingPeriodEnd',
  'BillingPeriodStart',
  'ChargeCategory',
  'ChargeClass',
  'ChargeDescription',
  'ChargePeriodEnd',
  'ChargePeriodStart',
  'ContractedCost',
  'EffectiveCost',
  'InvoiceIssuerName',
  'ListCost',
  'PricingQuantity',
  'PricingUnit',
  'ProviderName',
  'PublisherName',
  'ServiceCategory',
  'ServiceName',
];

/** Columns that apply because resources, workspaces, usage and labels are supported, and recommended ones. */
const conditional = [
  'ChargeFrequency',
  'ConsumedQuantity',
  'ConsumedUnit',
  'InvoiceId',
  'PricingCategory',
  'ResourceId',
  'ResourceName',
  'ResourceType',
  'ServiceSubcategory',
  'SkuId',
  'SkuPriceId',
  'SubAccountId',
  'SubAccountName',
  'Tags',
];

/** Mandatory columns that may be null. */
const nullable = new Set(['ChargeClass', 'PricingQuantity', 'PricingUnit']);

const neverNull = [
  ...mandatory.filter((column) => !nullable.has(column)),
  'ChargeFrequency',
  // The provider supports resources and workspaces, and each charge is of one.
  'ResourceId',
  'SubAccountId',
  'ServiceSubcategory',
];

const times = ['BillingPeriodEnd', 'BillingPeriodStart', 'ChargePeriodEnd', 'ChargePeriodStart'];
const costs = ['BilledCost', 'ContractedCost', 'EffectiveCost', 'ListCost'];
const numbers = [...costs, 'ConsumedQuantity', 'PricingQuantity'];

const allowed: Record<string, readonly string[]> = {
  ChargeCategory: ['Usage', 'Purchase', 'Tax', 'Credit', 'Adjustment'],
  ChargeClass: ['', 'Correction'],
  ChargeFrequency: ['One-Time', 'Recurring', 'Usage-Based'],
  PricingCategory: ['', 'Standard', 'Dynamic', 'Committed', 'Other'],
  BillingCurrency: ['USD'],
};

/** The subcategories that this service uses, with the category that is their only parent. */
const categoryOf: Record<string, string> = {
  'Serverless Compute': 'Compute',
  'Virtual Machines': 'Compute',
  'Other (Compute)': 'Compute',
  'Block Storage': 'Storage',
  'File Storage': 'Storage',
  'Application Networking': 'Networking',
  'Other (Other)': 'Other',
};

const hasValue = (charge: Charge, column: string) => (charge[column] ?? '') !== '';

function isKeyValue(text: string): boolean {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((each) => each === null || ['string', 'number', 'boolean'].includes(typeof each));
}

/** The rules of a charge, by the attribute or column that defines them. */
const rules: Record<string, (charge: Charge) => boolean> = {
  'NullHandling: mandatory columns have values': (charge) => neverNull.every((column) => hasValue(charge, column)),
  // A resource can have such a name.
  'NullHandling: no placeholders': ({ ResourceId: _id, ResourceName: _name, ...charge }) =>
    Object.values(charge).every((cell) => !/^(?:null|n\/a|none|not applicable|undefined|nan)$/i.test(cell)),
  'DateTimeFormat: UTC, to the second': (charge) =>
    times.every((column) => {
      const text = charge[column] ?? '';
      return (
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && new Date(text).toISOString() === text.replace('Z', '.000Z')
      );
    }),
  'NumericFormat: a decimal without a sign for positive values': (charge) =>
    numbers.every((column) => !hasValue(charge, column) || /^-?\d+(?:\.\d+)?$/.test(charge[column] ?? '')),
  'Allowed values': (charge) =>
    Object.entries(allowed).every(([column, values]) => values.includes(charge[column] ?? '')),
  'ServiceSubcategory: one parent category': (charge) =>
    categoryOf[charge['ServiceSubcategory'] ?? ''] === charge['ServiceCategory'],
  'BillingPeriod: a calendar month that contains the charge period': (charge) => {
    const [from = 0, to = 0, start = 0, end = 0] = [
      'BillingPeriodStart',
      'BillingPeriodEnd',
      'ChargePeriodStart',
      'ChargePeriodEnd',
    ].map((column) => Date.parse(charge[column] ?? ''));
    const month = new Date(from);
    const isMonth = from === Date.UTC(month.getUTCFullYear(), month.getUTCMonth());
    const isNext = to === Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1);
    return isMonth && isNext && from <= start && start < end && end <= to;
  },
  'ChargeFrequency: not usage-based for a purchase': (charge) =>
    charge['ChargeCategory'] !== 'Purchase' || charge['ChargeFrequency'] !== 'Usage-Based',
  'ConsumedQuantity: for usage only': (charge) =>
    (charge['ChargeCategory'] === 'Usage') === hasValue(charge, 'ConsumedQuantity'),
  'ConsumedUnit: with a quantity': (charge) =>
    hasValue(charge, 'ConsumedUnit') === hasValue(charge, 'ConsumedQuantity'),
  'PricingQuantity: for usage': (charge) => charge['ChargeCategory'] !== 'Usage' || hasValue(charge, 'PricingQuantity'),
  'PricingUnit: with a quantity': (charge) => hasValue(charge, 'PricingUnit') === hasValue(charge, 'PricingQuantity'),
  'PricingCategory: for usage': (charge) => charge['ChargeCategory'] !== 'Usage' || hasValue(charge, 'PricingCategory'),
  'SkuId and SkuPriceId: for usage': (charge) =>
    charge['ChargeCategory'] !== 'Usage' || (hasValue(charge, 'SkuId') && hasValue(charge, 'SkuPriceId')),
  'Costs of a credit match its billed cost': (charge) =>
    charge['ChargeCategory'] !== 'Credit' || costs.every((column) => charge[column] === charge['BilledCost']),
  'ContractedCost: the list cost without negotiated discounts': (charge) =>
    charge['ContractedCost'] === charge['ListCost'],
  'ResourceType: null exactly if ResourceId is': (charge) =>
    hasValue(charge, 'ResourceType') === hasValue(charge, 'ResourceId'),
  'ResourceName: null if ResourceId is': (charge) =>
    hasValue(charge, 'ResourceId') || !hasValue(charge, 'ResourceName'),
  'SubAccountName: null exactly if SubAccountId is': (charge) =>
    hasValue(charge, 'SubAccountName') === hasValue(charge, 'SubAccountId'),
  'InvoiceId: null without an invoice': (charge) => charge['InvoiceId'] === '',
  'Tags: a JSON object of plain values, or null': (charge) =>
    !hasValue(charge, 'Tags') || isKeyValue(charge['Tags'] ?? ''),
};

/** Columns of which a value of the first has only one value of the second, over the whole data set. */
const singular: readonly (readonly [string, string])[] = [
  ['ServiceName', 'ServiceCategory'],
  ['ServiceName', 'ServiceSubcategory'],
  ['ServiceSubcategory', 'ServiceCategory'],
  ['SkuPriceId', 'SkuId'],
  ['SkuId', 'ChargeDescription'],
  ['BillingAccountId', 'BillingAccountName'],
  ['SubAccountId', 'SubAccountName'],
  ['BillingPeriodStart', 'BillingPeriodEnd'],
];

/** Returns the rules that a data set breaks, each with a charge that breaks it. */
export function brokenRules(columns: readonly string[], charges: readonly Charge[]): string[] {
  const absent = [...mandatory, ...conditional].filter((column) => !columns.includes(column));
  const misnamed = columns.filter((column) => !/^[A-Z][A-Za-z]*$/.test(column));
  const broken = Object.entries(rules).flatMap(([name, holds]) => {
    const charge = charges.find((each) => !holds(each));
    return charge === undefined ? [] : [`${name}: ${JSON.stringify(charge)}`];
  });
  const several = singular.flatMap(([one, other]) => {
    const values = new Map<string, Set<string>>();
    for (const charge of charges) {
      const key = charge[one] ?? '';
      values.set(key, (values.get(key) ?? new Set()).add(charge[other] ?? ''));
    }
    return [...values].filter(([, found]) => found.size > 1).map(([key]) => `${one} ${key} has several ${other}`);
  });
  const lines = charges.map((charge) =>
    ['ChargePeriodStart', 'SubAccountId', 'ResourceId', 'ResourceName', 'ResourceType', 'SkuId'].map(
      (column) => charge[column],
    ),
  );
  const repeated = lines.length - new Set(lines.map((cells) => JSON.stringify(cells))).size;
  return [
    ...absent.map((column) => `${column} is absent`),
    ...misnamed.map((column) => `${column} is not Pascal case`),
    ...broken,
    ...several,
    ...(repeated === 0 ? [] : [`${repeated} charges are repeated`]),
  ];
}
