// The desired state that executors receive: the resource with its secrets, and the state that they deployed before.
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import type { Statements } from '../../database/transaction.js';
import { masked } from '../../schema/resource.js';
import { withSecrets } from '../../store/write/encrypted-spec.js';
import type { SecretSpec } from '../../store/write/encrypted-spec.js';
import type { CarriedOut, Claimed } from '../../lifecycle/assignment.js';
import { invocationFromName } from '../../lifecycle/invocation-steps.js';
import { invocationKind, taskKind } from '../../lifecycle/work-kinds.js';
import type { WorkKind } from '../../lifecycle/work-kinds.js';
import { isEncryptedTable } from '../../encryption.js';
import type { Encryption } from '../../encryption.js';
import type { AgentSpec } from '../agents/agent-spec.js';
import { egressIpKind } from '../networks/egress-ip.js';
import { egressGatewayKind } from '../networks/egress-gateway.js';
import { previewKind } from '../sandboxes/preview.js';
import { desiredTask, readExecutions } from './desired-task.js';
import { resourceKinds } from '../../resource-kinds.js';

/** A claimed assignment as its executor gets it. */
export interface Handed extends Claimed {
  version: number | undefined;
  /** The resource as it is wanted. */
  desired: object;
  /** The state that is deployed; undefined if nothing is. */
  replaces: object | undefined;
}

/** The parts of a stored specification that are read here, of any kind. */
type StoredSpec = Omit<SecretSpec, 'triggers'> & Pick<AgentSpec, 'triggers'>;

interface WantedRow {
  id: string;
  version: number;
  metadata: Record<string, unknown>;
  spec: StoredSpec;
}

/** Reads the claimed resources, with secrets if they are to be deployed. Omits resources that were deleted since. */
export async function handedOut(db: Statements, encryption: Encryption, claims: readonly Claimed[]): Promise<Handed[]> {
  const rows = new Map<string, WantedRow>();
  const ofTasks = claims.filter(({ kind }) => kind === taskKind);
  const executions = new Map((await readExecutions(db, ofTasks)).map((execution) => [execution.id, execution]));
  for (const kind of new Set(claims.map(tableKind))) {
    if (kind === undefined) continue;
    const ids = claims
      .filter((claim) => tableKind(claim) === kind && claim.gone === null)
      .map(({ resourceId }) => resourceId);
    for (const row of await readWanted(db, kind, ids)) rows.set(row.id, row);
  }
  return claims.flatMap((claim) => {
    const execution = executions.get(claim.resourceId);
    if (execution !== undefined) {
      const { version } = execution.job;
      return [{ ...claim, version, desired: desiredTask(encryption, claim, execution), replaces: undefined }];
    }
    const handed = handedFrom(encryption, claim, rows.get(claim.resourceId));
    return handed === undefined ? [] : [handed];
  });
}

/** The kind whose table has the claimed resource. */
function tableKind({ kind }: Claimed): WorkKind | undefined {
  if (kind === invocationKind) return 'AGENT';
  return kind === taskKind ? undefined : kind;
}

function handedFrom(encryption: Encryption, claim: Claimed, row: WantedRow | undefined): Handed | undefined {
  const { kind, gone, carriedOut, wanted, workspace } = claim;
  if (kind === taskKind) return undefined;
  if (kind === invocationKind) return row && desiredInvocation(encryption, claim, row);
  const replaces = carriedOut === null ? undefined : replaced(kind, claim, encryption, carriedOut);
  if (gone !== null) {
    const spec = maskedStored(gone.spec);
    return { ...claim, version: undefined, desired: { metadata: { name: gone.name, workspace }, spec }, replaces };
  }
  if (row === undefined) return undefined;
  const metadata = { ...withoutNull(row.metadata), workspace };
  // Removing or deactivating a resource requires no secrets.
  const spec =
    wanted === 'deploy'
      ? openedSpec(kind, claim.resourceId, encryption, row.spec)
      : withSecrets(row.spec, () => masked);
  return { ...claim, version: row.version, desired: { metadata, spec }, replaces };
}

/** The agent to run, and its input. */
function desiredInvocation(encryption: Encryption, claim: Claimed, { metadata, spec, version }: WantedRow): Handed {
  const { trigger, scheduledAt } = invocationFromName(claim.task);
  const { tasks } = spec.triggers?.find(({ id }) => id === trigger)?.configuration ?? {};
  const desired = {
    metadata: { ...withoutNull(metadata), workspace: claim.workspace },
    spec: openedSpec('AGENT', claim.resourceId, encryption, spec),
    invocation: { trigger, scheduledAt, tasks },
  };
  return { ...claim, version, desired, replaces: undefined };
}

function withoutNull(metadata: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null));
}

function replaced(
  kind: WorkKind,
  { wanted, resourceId }: Claimed,
  encryption: Encryption,
  carriedOut: CarriedOut,
): object {
  const { spec, ...rest } = carriedOut;
  const isOpened = wanted === 'deploy' && isSpec(spec);
  return { ...rest, spec: isOpened ? openedSpec(kind, resourceId, encryption, spec) : maskedStored(spec) };
}

function openedSpec(kind: WorkKind, resourceId: string, encryption: Encryption, spec: SecretSpec): object {
  const table = resourceKinds[kind].table;
  return isEncryptedTable(table) ? withSecrets(spec, encryption.ofRow(table, resourceId).open) : spec;
}

function isSpec(spec: unknown): spec is SecretSpec {
  return typeof spec === 'object' && spec !== null;
}

function maskedStored(spec: unknown): unknown {
  if (!isSpec(spec)) return {};
  const { triggers: _, ...rest } = withSecrets(spec, () => masked);
  return rest;
}

const names = { name: Prisma.sql`r."name"`, displayName: Prisma.sql`r."display_name"` };
const all = { ...names, externalId: Prisma.sql`r."external_id"`, labels: Prisma.sql`r."labels"` };

/** The columns of the metadata of kinds that are in other resources. */
const metadataOfChildren: Partial<Record<WorkKind, Record<string, Prisma.Sql>>> = {
  SANDBOX_PREVIEW: { ...names, sandbox: previewKind.columns.resourceName },
  EGRESS_GATEWAY: { ...names, vpcName: egressGatewayKind.columns.vpcName },
  EGRESS_IP: { ...names, gatewayName: egressIpKind.columns.gatewayName, vpcName: egressIpKind.columns.vpcName },
};

async function readWanted(db: Statements, kind: WorkKind, ids: string[]): Promise<WantedRow[]> {
  if (ids.length === 0) return [];
  const pairs = Object.entries(metadataOfChildren[kind] ?? all).map(([name, sql]) => Prisma.sql`${name}::text, ${sql}`);
  return readJson(
    db,
    Prisma.sql`
      SELECT coalesce(json_agg(json_build_object('id', r."id", 'version', r."version",
        'metadata', json_build_object(${Prisma.join(pairs)}), 'spec', r."spec")), '[]')::text
      FROM ${Prisma.raw(`"${resourceKinds[kind].table}"`)} AS r WHERE r."id" = ANY(${ids}::uuid[])`,
  );
}
