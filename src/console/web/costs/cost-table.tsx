import { useState } from 'react';
import type { ReactElement } from 'react';
import { plural } from '../look/amount.js';
import { decimalFrom } from '../look/decimal.js';
import { Icon } from '../look/icon.js';
import { formatMoney } from '../look/money.js';
import { Money } from '../look/money-text.js';
import { byChange, sumBy } from './comparison.js';
import type { ComparedRow, Comparison } from './comparison.js';
import { ChangeCell, GroupValue, hasPrices, UsageCells } from './cost-cells.js';
import type { CostQuestion } from './cost-question.js';
import { CsvButton } from './csv-button.js';
import { dimensions } from './costs-search.js';
import type { Dimension } from './costs-search.js';
import type { Group } from './groups.js';
import { sharesOf } from './shares.js';
import type { Billed } from './use-billed.js';

interface CostTableProps {
  question: CostQuestion;
  /** The same for the previous period, while the two are compared. */
  earlier: CostQuestion | undefined;
  billed: Billed;
  /** Compared with nothing, every cost before is nothing. */
  comparison: Comparison;
  totals: { now: bigint; before: bigint };
  isCompared: boolean;
  onPick: (group: Group) => void;
  onShowAll: () => void;
}

type Order = 'cost' | 'change';

const cent = 10_000_000n;

/** The numbers of the chart, group by group; they add up to the totals, to the last digit. */
export function CostTable(props: CostTableProps): ReactElement {
  const { question, earlier, billed, comparison, totals, isCompared, onPick, onShowAll } = props;
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
                  {dimensions[dimension].label}
                </th>
              ))}
              {hasUsage && (
                <th scope="col" className="number">
                  usage
                </th>
              )}
              {isPriced && (
                <th scope="col" className="number">
                  price now
                </th>
              )}
              <SortHeading label="cost" isOn={order === 'cost'} isUseful={isCompared} onSort={() => setOrder('cost')} />
              {shares !== undefined && (
                <th scope="col" className="number share">
                  share
                </th>
              )}
              {isCompared && (
                <>
                  <th scope="col" className="number before">
                    before
                  </th>
                  <SortHeading label="change" isOn={order === 'change'} isUseful onSort={() => setOrder('change')} />
                </>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ group, before }, place) => (
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
                <Amounts now={group.nano} before={before} share={shares?.[place]} isCompared={isCompared} />
              </tr>
            ))}
            {hasRest && (
              <tr>
                <td colSpan={named} className="quiet">
                  everything else{' '}
                  <button type="button" className="button" onClick={onShowAll}>
                    Show all groups
                  </button>
                </td>
                <Amounts now={rest.now} before={rest.before} share={shares?.[rows.length]} isCompared={isCompared} />
              </tr>
            )}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={named}>
                Total of {plural(rows.length, 'group')}
                {hasRest ? ' and everything else' : ''}
              </th>
              <Amounts
                now={totals.now}
                before={totals.before}
                share={shares === undefined ? undefined : '100.0 %'}
                isCompared={isCompared}
              />
            </tr>
          </tfoot>
        </table>
      </div>
      <div className="cost-foot">
        <p className="quiet">
          {totalText(rows, rest.now, totals.now)}
          {shares === undefined && totals.now !== 0n && ' With credits among the groups, no shares are told.'}
        </p>
        <CsvButton question={question} earlier={earlier} />
      </div>
      {rows.length === 0 && (
        <p className="quiet">Nothing was billed in this window{hasFilter(question) ? ' with these filters' : ''}.</p>
      )}
    </section>
  );
}

interface AmountsProps {
  now: bigint;
  before: bigint;
  /** Of the total; there is no column of them where credits are in it. */
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
  return (
    <th scope="col" className="number" aria-sort={isOn ? 'descending' : 'none'}>
      {isUseful ? (
        <button type="button" className="sort-button" onClick={onSort}>
          {label}
          {isOn && <Icon name="down" />}
        </button>
      ) : (
        label
      )}
    </th>
  );
}

/** What a value is, in the words of who runs the platform. */
function descriptionOf({ values }: Group, dimension: Dimension, billed: Billed): string | undefined {
  const name = values[dimension] ?? '';
  const told =
    dimension === 'billing_dimension' ? billed.dimensions : dimension === 'resource_type' ? billed.types : none;
  const description = told.get(name)?.description;
  return description === '' ? undefined : description;
}

const none: Billed['types'] = new Map();

function hasFilter({ search }: CostQuestion): boolean {
  return [search.workspace, search.type, search.name, search.dimension].some((value) => value !== undefined);
}

/** The exact total, and what the rounded rows would make where that is another. */
function totalText(rows: readonly ComparedRow[], rest: bigint, total: bigint): string {
  const rounded = sumBy(rows, ({ group }) => toCents(group.nano)) + toCents(rest);
  const exact = `The exact total is ${decimalFrom(total)} USD.`;
  if (rounded === toCents(total)) return exact;
  return `${exact} The rows, each rounded to the cent, would make ${formatMoney(rounded * cent)}.`;
}

/** Whole cents, half away from zero, as the texts show them. */
function toCents(nano: bigint): bigint {
  const half = cent / 2n;
  return (nano < 0n ? nano - half : nano + half) / cent;
}
