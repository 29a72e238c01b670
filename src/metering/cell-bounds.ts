// Decides which events still fit near the limit of a sum. Each event is checked against its own cell, not the greatest
// cell. Hours and days lie within a month, so only weeks and months are checked. Pure.
import { Prisma } from '../database/client/client.js';
import { bucketOf, levels } from './window.js';
import { costDigits, usageDigits } from './amounts.js';
import { arrayLiteral, numbersLiteral } from './sql-arrays.js';
import type { UsageEvent } from './usage-event.js';
import { cellMax } from './usage-insertion.js';
import { invalidUsage } from './usage-result.js';
import type { UnchangedResult } from './usage-result.js';

interface Cell {
  level: number;
  bucket: number;
  workspace: string;
  resourceType: string;
  billingDimension: string;
}

/** The sums of cells, and the events waiting to be rolled up into them. Amounts are whole numbers as text. */
export interface CellSums {
  /** Sums by the position of the cell in the request, from 1. A missing cell is empty. */
  cells: [order: number, cost: string, usage: string][];
  waiting: [cost: string, usage: string];
}

function cellsOf({ hour, workspace, resourceType, billingDimension }: UsageEvent): Cell[] {
  return (['weekly', 'monthly'] as const).map((resolution) => ({
    level: levels[resolution],
    bucket: bucketOf(resolution, hour),
    workspace,
    resourceType,
    billingDimension,
  }));
}

function keyOf({ level, bucket, workspace, resourceType, billingDimension }: Cell): string {
  return `${level}\n${bucket}\n${workspace}\n${resourceType}\n${billingDimension}`;
}

/** The distinct cells that some events are added to. */
export class EventCells {
  readonly #cells: Cell[];

  constructor(
    private readonly accountId: string,
    events: readonly UsageEvent[],
  ) {
    this.#cells = [...new Map(events.flatMap(cellsOf).map((cell) => [keyOf(cell), cell])).values()];
  }

  /** SQL that returns CellSums. */
  statement(): Prisma.Sql {
    const texts = (read: (cell: Cell) => string) => arrayLiteral(this.#cells.map(read));
    const numbers = (read: (cell: Cell) => number) => numbersLiteral(this.#cells.map(read));
    return Prisma.sql`
      SELECT json_build_object(
        'cells', (SELECT coalesce(json_agg(json_build_array("n", "cost"::text, "usage"::text)), '[]')
          FROM unnest(${numbers(({ level }) => level)}::text::smallint[], ${numbers(({ bucket }) => bucket)}::text::int[],
            ${texts(({ workspace }) => workspace)}::text::text[], ${texts(({ resourceType }) => resourceType)}::text::text[],
            ${texts(({ billingDimension }) => billingDimension)}::text::text[])
            WITH ORDINALITY AS requested("level", "bucket", "workspace", "resource_type", "billing_dimension", "n")
          JOIN "usage_cell" USING ("level", "bucket", "workspace", "resource_type", "billing_dimension")
          WHERE "account_id" = ${this.accountId}::uuid),
        'waiting', (SELECT json_build_array(coalesce(sum("cost"), 0)::text, coalesce(sum("usage"), 0)::text)
          FROM "usage_batch" WHERE "account_id" = ${this.accountId}::uuid AND "rollup_id" IS NULL))::text`;
  }

  /** Returns for each event, in order, why it does not fit after the events before it; undefined when it fits. */
  refusals(events: readonly UsageEvent[], { cells, waiting }: CellSums): (UnchangedResult<'invalid'> | undefined)[] {
    const [waitingCost, waitingUsage] = [BigInt(waiting[0]), BigInt(waiting[1])];
    const sums = new Map(this.#cells.map((cell) => [keyOf(cell), { cost: waitingCost, usage: waitingUsage }]));
    for (const [order, cost, usage] of cells) {
      const cell = this.#cells[order - 1];
      const sum = cell && sums.get(keyOf(cell));
      if (sum === undefined) continue;
      sum.cost += sizeOf(cost);
      sum.usage += sizeOf(usage);
    }
    return events.map((event) => {
      const [cost, usage] = [sizeOf(event.cost), sizeOf(event.usage)];
      const touched = cellsOf(event).flatMap((cell) => sums.get(keyOf(cell)) ?? []);
      if (touched.some((sum) => sum.cost + cost > cellMax)) return tooMuch('cost', costDigits);
      if (touched.some((sum) => sum.usage + usage > cellMax)) return tooMuch('usage', usageDigits);
      for (const sum of touched) {
        sum.cost += cost;
        sum.usage += usage;
      }
      return undefined;
    });
  }
}

/** All amounts of a cell have the same sign. */
function sizeOf(amount: string): bigint {
  const units = BigInt(amount);
  return units < 0n ? -units : units;
}

function tooMuch(field: 'cost' | 'usage', digits: number): UnchangedResult<'invalid'> {
  const most = cellMax / 10n ** BigInt(digits);
  return invalidUsage(field, `is too large: a total of the account would exceed ${most}`);
}
