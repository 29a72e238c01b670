import { EventsLink } from '../usage/events-link.js';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { plural } from '../look/amount.js';
import { decimalFrom } from '../look/decimal.js';
import { HeadingText } from '../look/heading-text.js';
import { formatMoney } from '../look/money.js';
import { Money } from '../look/money-text.js';
import { capitalize } from '../look/labels.js';
import { byChange, sumBy } from './comparison.js';
import type { ComparedRow, Comparison } from './comparison.js';
import { ChangeCell, GroupValue, hasPrices, UsageCells } from './cost-cells.js';
import type { CostQuestion } from './cost-query.js';
import type { BucketTimes } from './csv.js';
import { CsvButton } from './csv-button.js';
import { groupingText, isDimension } from './costs-search.js';
import type { Grouping } from './costs-search.js';
import type { Group } from './groups.js';
import { percentText, sharesOf } from './shares.js';
import type { Billed } from './use-billed.js';
import { BusyButton } from '../look/busy-button.js';

interface CostTableProps {
  /** The name of the account. */
  account: string;
  question: CostQuestion;
  /** The same for the previous period, while the two are compared. */
  earlier: CostQuestion | undefined;
  buckets: BucketTimes;
  billed: Billed;
  /** Without a comparison, all previous costs are zero. */
  comparison: Comparison;
  totals: { now: bigint; before: bigint };
  isCompared: boolean;
  onPick: (group: Group) => void;
  /** Loads the groups of the rest. @throws if the service does not respond. */
  onShowAll: () => Promise<void>;
}

type Order = 'cost' | 'change';

const cent = 10_000_000n;

/** The costs by group. The exact amounts add up to the totals. */
export function CostTable(props: CostTableProps): ReactElement {
  const { account, question, earlier, buckets, billed, comparison, totals, isCompared, onPick, onShowAll } = props;
  const { by } = question;
  const { rest } = comparison;
  const [order, setOrder] = useState<Order>('cost');
  const rows = order === 'change' && isCompared ? byChange(comparison.rows) : comparison.rows;
  const hasRest = rest.now !== 0n || (isCompared && rest.before !== 0n);
  const shares = sharesOf([...rows.map(({ group }) => group.nano), ...(hasRest ? [rest.now] : [])]);
  const hasUsage = by.includes('billing_dimension');
  const isPriced = hasUsage && hasPrices(billed);
  const named = by.length + (hasUsage ? 1 : 0) + (isPriced ? 1 : 0);
  return (
    <section aria-label="Costs by group">
      <div className="table-space">
        <table className="cost-table">
          <thead>
            <tr>
              {by.map((dimension) => (
                <th key={dimension} scope="col">
                  {isDimension(dimension) ? capitalize(groupingText(dimension)) : groupingText(dimension)}
                </th>
              ))}
              {hasUsage && (
                <th scope="col" className="number">
                  Usage
                </th>
              )}
              {isPriced && (
                <th scope="col" className="number">
                  Unit price
                </th>
              )}
              <SortHeading label="Cost" isOn={order === 'cost'} isUseful={isCompared} onSort={() => setOrder('cost')} />
              {shares !== undefined && (
                <th scope="col" className="number share">
                  Share
                </th>
              )}
              {isCompared && (
                <>
                  <th scope="col" className="number before">
                    Previous
                  </th>
                  <SortHeading label="Change" isOn={order === 'change'} isUseful onSort={() => setOrder('change')} />
                </>
              )}
              <th scope="col" className="events">
                <span className="hidden">Usage events</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ group, before }, position) => (
              <tr key={group.key}>
                {by.map((dimension, index) => (
                  <td key={dimension} className="cost-value">
                    <GroupValue
                      group={group}
                      dimension={dimension}
                      hint={descriptionOf(group, dimension, billed)}
                      onPick={index === 0 ? () => onPick(group) : undefined}
                    />
                  </td>
                ))}
                {hasUsage && <UsageCells group={group} billed={billed} />}
                <Amounts now={group.nano} before={before} share={shares?.[position]} isCompared={isCompared} />
                <td className="events">
                  <EventsLink account={account} question={question} group={group}>
                    Events
                  </EventsLink>
                </td>
              </tr>
            ))}
            {hasRest && (
              <tr>
                <td colSpan={named} className="quiet">
                  Other <ShowAll onShowAll={onShowAll} />
                </td>
                <Amounts now={rest.now} before={rest.before} share={shares?.[rows.length]} isCompared={isCompared} />
              </tr>
            )}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={named}>
                Total of {plural(rows.length, 'group')}
                {hasRest ? ' and other' : ''}
              </th>
              <Amounts
                now={totals.now}
                before={totals.before}
                share={shares === undefined ? undefined : percentText(100)}
                isCompared={isCompared}
              />
            </tr>
          </tfoot>
        </table>
      </div>
      <div className="cost-foot">
        <p className="quiet">
          {totalText(rows, rest.now, totals.now)}
          {shares === undefined && totals.now !== 0n && ' Shares are not shown because some groups are credits.'}
        </p>
        <CsvButton question={question} earlier={earlier} buckets={buckets} />
      </div>
      {rows.length === 0 && (
        <p className="quiet">No costs in this period{hasFilter(question) ? ' match these filters' : ''}.</p>
      )}
    </section>
  );
}

function ShowAll({ onShowAll }: Pick<CostTableProps, 'onShowAll'>): ReactElement {
  const [state, setState] = useState<'idle' | 'working' | 'failed'>('idle');
  const show = async () => {
    setState('working');
    try {
      await onShowAll();
      setState('idle');
    } catch {
      setState('failed');
    }
  };
  return (
    <>
      <BusyButton className="button" isBusy={state === 'working'} onClick={() => void show()}>
        Show all groups
      </BusyButton>
      {state === 'failed' && <span role="alert"> Could not load all groups because the service did not respond.</span>}
    </>
  );
}

interface AmountsProps {
  now: bigint;
  before: bigint;
  /** The share of the total; undefined if some groups are credits. */
  share: string | undefined;
  isCompared: boolean;
}

function Amounts({ now, before, share, isCompared }: AmountsProps): ReactElement {
  return (
    <>
      <td className="number">
        <Money nano={now} />
      </td>
      {share !== undefined && <td className="number quiet share">{share}</td>}
      {isCompared && (
        <>
          <td className="number quiet before">
            <Money nano={before} />
          </td>
          <ChangeCell now={now} before={before} />
        </>
      )}
    </>
  );
}

interface SortHeadingProps {
  label: string;
  isOn: boolean;
  isUseful: boolean;
  onSort: () => void;
}

function SortHeading({ label, isOn, isUseful, onSort }: SortHeadingProps): ReactElement {
  const sort = isOn ? 'descending' : 'none';
  return (
    <th scope="col" className="number" aria-sort={sort}>
      <HeadingText label={label} sort={sort} onSort={isUseful ? onSort : undefined} />
    </th>
  );
}

/** The operator's description of a value. */
function descriptionOf({ values }: Group, dimension: Grouping, billed: Billed): string | undefined {
  const name = values[dimension] ?? '';
  const source =
    dimension === 'billing_dimension' ? billed.dimensions : dimension === 'resource_type' ? billed.types : none;
  const description = source.get(name)?.description;
  return description === '' ? undefined : description;
}

const none: Billed['types'] = new Map();

function hasFilter({ search }: CostQuestion): boolean {
  return [search.workspace, search.type, search.name, search.dimension, search.label].some(
    (value) => value !== undefined,
  );
}

/** The exact total, and the sum of the rounded rows if it differs. */
function totalText(rows: readonly ComparedRow[], rest: bigint, total: bigint): string {
  const rounded = sumBy(rows, ({ group }) => toCents(group.nano)) + toCents(rest);
  const exact = `The exact total is ${decimalFrom(total)} USD.`;
  if (rounded === toCents(total)) return exact;
  return `${exact} The rounded rows add up to ${formatMoney(rounded * cent)}.`;
}

/** Whole cents, half away from zero, as the texts show them. */
function toCents(nano: bigint): bigint {
  const half = cent / 2n;
  return (nano < 0n ? nano - half : nano + half) / cent;
}
