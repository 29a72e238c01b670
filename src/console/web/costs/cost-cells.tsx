import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { kindBilledAs } from '../kinds/kinds.js';
import { Icon } from '../look/icon.js';
import { numberFormat } from '../look/locale.js';
import { changeOf, exactMoney, formatChange, formatDelta, formatPrice } from '../look/money.js';
import { exactTime } from '../look/time.js';
import type { Grouping } from './costs-search.js';
import { textOf } from './groups.js';
import type { Group } from './groups.js';
import { oneOf, unitText } from './use-billed.js';
import type { Billed } from './use-billed.js';

interface GroupValueProps {
  group: Group;
  dimension: Grouping;
  /** The description of the value, if there is one. */
  hint: string | undefined;
  /** Set in the cell that filters by its group. */
  onPick: (() => void) | undefined;
}

/** One value of a group, with a link if it is a resource. */
export function GroupValue({ group, dimension, hint, onPick }: GroupValueProps): ReactElement {
  const value = group.values[dimension] ?? '';
  const text = textOf(dimension, value);
  const kind = group.resourceType === undefined ? undefined : kindBilledAs(group.resourceType);
  const isResource = dimension === 'resource_name' && kind !== undefined && group.workspace !== undefined;
  return (
    <span className="group-value">
      {onPick === undefined ? (
        <span className="cut" title={hint ?? text}>
          {text}
        </span>
      ) : (
        <button
          type="button"
          className="link-button cut"
          onClick={onPick}
          title={hint === undefined ? `Filter by ${text}` : `Filter by ${text}: ${hint}`}
        >
          {text}
        </button>
      )}
      {isResource && (
        <Link
          to="/w/$workspace/$kind/$name"
          params={{ workspace: group.workspace ?? '', kind, name: value }}
          className="quiet"
          aria-label={`Open ${text}`}
          title={`Open ${text}`}
        >
          <Icon name="open" />
        </Link>
      )}
    </span>
  );
}

/** The usage, and the unit price if there is one. */
export function UsageCells({ group, billed }: { group: Group; billed: Billed }): ReactElement {
  const dimension = billed.dimensions.get(group.values.billing_dimension ?? '');
  const unit = unitText(dimension?.unit);
  const amount = Number(group.usage ?? 0);
  const price = dimension?.price;
  return (
    <>
      <td className="number quiet" title={`${group.usage ?? '0'} ${unit}`}>
        {numberFormat({ maximumFractionDigits: 1 }).format(amount)} {unit}
      </td>
      {hasPrices(billed) && (
        <td className="number quiet" title={price == null ? undefined : `Since ${exactTime(price.from)}`}>
          {price == null ? '' : `${formatPrice(price.unitPrice, price.currency)} / ${oneOf(dimension?.unit ?? '')}`}
        </td>
      )}
    </>
  );
}

/** Whether any dimension has a price. Usage that is reported with its cost has none. */
export function hasPrices(billed: Billed): boolean {
  return [...billed.dimensions.values()].some(({ price }) => price !== null);
}

/** The change from the previous period, in dollars and percent. */
export function ChangeCell({ now, before }: { now: bigint; before: bigint }): ReactElement {
  const change = changeOf(now, before);
  const percent = before === 0n ? (now === 0n ? '' : 'New') : now === 0n ? 'ended' : changeText(change);
  return (
    <td className="number" title={exactMoney(now - before)}>
      {now === before ? '' : formatDelta(now - before)} <span className="quiet">{percent}</span>
    </td>
  );
}

function changeText(change: number | undefined): string {
  return change === undefined ? '' : formatChange(change);
}
