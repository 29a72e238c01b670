// What executors get to do of a resource that somebody makes, changes or removes. Where no executor is registered for its
// kind and region, it is at once what it is to be.
import { randomUUID } from 'node:crypto';
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { ApiError } from '../../errors.js';
import { assigning, isServed, leaving, unassigning } from '../../lifecycle/assign.js';
import { deploymentWork } from '../../lifecycle/deployment-states.js';
import type { DeploymentWork } from '../../lifecycle/deployment-states.js';
import { isWorkKind } from '../../lifecycle/work-kinds.js';
import type { WorkKind } from '../../lifecycle/work-kinds.js';
import type { Status } from '../../schema/resource.js';
import { statusOf } from './row-columns.js';
import type { Writable, WritableRow } from './writable.js';
import type { Assigning } from './write-row.js';
import { resourceKinds } from '../../resource-kinds.js';

/** A kind that executors reconcile, and the region that decides which executor does. */
export interface Work {
  kind: WorkKind;
  /** SQL of the region of a row `r`. */
  region: Prisma.Sql;
}

/** A row that may have a status. */
interface WorkRow {
  spec: unknown;
  status?: string | null;
}

const anyRow = Prisma.sql`true`;

/** Undefined for kinds that executors do not reconcile. */
export function workOf<Row extends WritableRow>({ kind, region }: Writable<Row>): Work | undefined {
  return isWorkKind(kind.name) ? { kind: kind.name, region: region ?? Prisma.sql`(r."spec"->>'region')` } : undefined;
}

/** SQL for whether executors carry out a row `r`. */
export function isRowServed(work: Work): Prisma.Sql {
  return isServed(work.kind, work.region);
}

/** What is assigned of a new row, and the status that it gets with it. */
export interface NewWork {
  assigning: Assigning;
  /** SQL of the status that follows from it, from a row `r`, and which one that is where executors begin with it. */
  status: { sql: Prisma.Sql; begins: Status } | undefined;
}

/** @returns undefined where nothing is to be done: it is switched off. */
export function workOfNew(within: AuthorizedWorkspace, work: Work, row: WorkRow): NewWork | undefined {
  const { account, workspace } = within;
  const assigned = {
    kind: work.kind,
    wanted: 'deploy',
    accountId: account.id,
    workspace: workspace.name,
    region: work.region,
  } as const;
  if (!resourceKinds[work.kind].hasStatus) {
    return { assigning: { statements: [assigning({ ...assigned, where: isRowServed(work) })] }, status: undefined };
  }
  if (row.status !== 'DEPLOYED') return undefined;
  const { begins, ends } = deploymentWork.deploy;
  return {
    status: { sql: Prisma.sql`CASE WHEN ${isRowServed(work)} THEN ${begins}::text ELSE ${ends}::text END`, begins },
    assigning: {
      statements: [assigning({ ...assigned, where: Prisma.sql`r."status"::text = ${begins}::text` })],
      placeholder: randomUUID(),
    },
  };
}

/** What is assigned of a change, and the row with the status that it gets with it. */
export interface ChangedWork<Row> {
  row: Row;
  assigning: Assigning | undefined;
}

interface WorkChange<Row> {
  id: string;
  before: Row;
  after: Row;
  /** The paths of what changes. */
  fields: string[];
  /** Whether executors carry it out where it is until now. */
  isServedBefore: boolean;
}

/**
 * What a change of a resource leads to. What concerns its metadata alone leads to nothing.
 *
 * @throws 409 `conflict` for what is being deleted.
 */
export async function workOfUpdate<Row extends WorkRow>(
  within: AuthorizedWorkspace,
  work: Work,
  { id, before, after, fields, isServedBefore }: WorkChange<Row>,
): Promise<ChangedWork<Row>> {
  if (before.status === 'DELETING') throw new ApiError('conflict', 'It is being deleted, and changes no more.');
  if (!fields.some((field) => /^spec\b/.test(field))) return { row: after, assigning: undefined };
  const isMoved = regionIn(before.spec) !== regionIn(after.spec);
  const isServedNow = isMoved ? await isServedAs(within, work, id, after.spec) : isServedBefore;
  const left = isMoved ? [leaving(work.region)] : [];
  if (!isServedNow) {
    const status = isUnderWay(before.status) ? endOf(after.spec) : after.status;
    return { row: withStatus(after, status), assigning: { statements: [...left, unassigning()] } };
  }
  const wanted = wantedOf(before, after);
  if (wanted === undefined) return { row: after, assigning: undefined };
  const { account, workspace } = within;
  const assigned = {
    kind: work.kind,
    wanted,
    accountId: account.id,
    workspace: workspace.name,
    region: work.region,
  };
  const row = withStatus(after, deploymentWork[wanted].begins);
  return { row, assigning: { statements: [...left, assigning({ ...assigned, where: anyRow })] } };
}

/** What is assigned of a deletion: what has a status stays until it is taken down. */
export function workOfDeletion(within: AuthorizedWorkspace, work: Work): Assigning {
  const { account, workspace } = within;
  const assigned = { kind: work.kind, wanted: 'delete', accountId: account.id, workspace: workspace.name } as const;
  return { statements: [assigning({ ...assigned, region: work.region, where: anyRow })] };
}

/** Nothing where what is switched off stays so. */
function wantedOf(before: WorkRow, after: WorkRow): DeploymentWork | undefined {
  if (endOf(after.spec) === 'DEPLOYED') return 'deploy';
  return endOf(before.spec) === 'DEPLOYED' ? 'deactivate' : undefined;
}

function endOf(spec: unknown): Status {
  return statusOf(typeof spec === 'object' && spec !== null ? spec : {});
}

const underWay: ReadonlySet<string> = new Set(['UPLOADING', 'BUILDING', 'BUILT', 'DEPLOYING', 'DEACTIVATING']);

function isUnderWay(status: string | null | undefined): boolean {
  return status != null && underWay.has(status);
}

function withStatus<Row extends WorkRow>(row: Row, status: string | null | undefined): Row {
  return row.status === undefined || status === undefined ? row : { ...row, status };
}

function regionIn(spec: unknown): string | undefined {
  return typeof spec === 'object' && spec !== null && 'region' in spec ? String(spec.region) : undefined;
}

/** Whether executors carry out a row once it has another spec. */
async function isServedAs({ db }: AuthorizedWorkspace, work: Work, id: string, spec: unknown): Promise<boolean> {
  const answer = await db.$text(Prisma.sql`
    SELECT (${isRowServed(work)})::text
    FROM ${Prisma.raw(`"${resourceKinds[work.kind].table}"`)} AS t, json_populate_record(t, ${JSON.stringify({ spec })}::json) AS r
    WHERE t."id" = ${id}::uuid`);
  return answer === 'true';
}
