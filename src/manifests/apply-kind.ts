// The resource kinds that documents can have, with their names in the GraphQL API. The fields of a document are derived
// from the shapes of its kind, so that new fields are available in documents too.
import type { z } from 'zod';
import { metadata } from '../schema/resource.js';
import { resourceOrigin } from '../schema/resource-origin.js';
import { fieldsOf } from '../schema/shape.js';
import { containersOf, isKindWith, isSpelling, kindSpelled, resourceKinds } from '../resource-kinds.js';
import type { KindWith } from '../resource-kinds.js';
import { workspaceMetadata } from '../accounts/workspace.js';
import { agentSpecAnswer } from '../resources/agents/agent-spec.js';
import { jobSpec } from '../resources/jobs/job.js';
import { egressGatewayMetadata, egressGatewaySpec } from '../resources/networks/egress-gateway.js';
import { egressIpMetadata, egressIpSpec } from '../resources/networks/egress-ip.js';
import { vpcSpec } from '../resources/networks/vpc.js';
import { previewMetadata, previewSpec } from '../resources/sandboxes/preview.js';
import { sandboxSpec } from '../resources/sandboxes/sandbox.js';
import { volumeSpec } from '../resources/volumes/volume.js';

/** The kind of the parent of a resource. */
export interface Parent {
  /** The field of a document and the option of the command line for the parent: `sandbox`. */
  field: string;
  /** The same in mutation inputs. */
  input: string;
  /** Name of the parent's kind. */
  kind: string;
}

export interface ApplyKind {
  /** The name in documents and in mutations such as `createAgent`. */
  name: string;
  /** The field of Query, or of the parent's type, for one resource by name, and the field of its connection. */
  one: string;
  list: string;
  /** Outermost first. */
  parents: Parent[];
  metadata: z.ZodObject;
  /** Absent for a workspace, which has only metadata. */
  spec?: z.ZodObject;
  /** Whether resources of the kind have a status, and can be redeployed. */
  hasStatus?: boolean;
  /** Whether the GraphQL type has its metadata fields at the top level, like a workspace. */
  isFlat?: true;
}

/** Metadata and spec of the kinds that documents can have, in the order of creation: parents first. */
const schemas: Record<KindWith<'isApplied'>, Pick<ApplyKind, 'metadata' | 'spec'>> = {
  VOLUME: { metadata, spec: volumeSpec },
  VPC: { metadata, spec: vpcSpec },
  EGRESS_GATEWAY: { metadata: egressGatewayMetadata, spec: egressGatewaySpec },
  EGRESS_IP: { metadata: egressIpMetadata, spec: egressIpSpec },
  AGENT: { metadata, spec: agentSpecAnswer },
  SANDBOX: { metadata, spec: sandboxSpec },
  SANDBOX_PREVIEW: { metadata: previewMetadata, spec: previewSpec },
  JOB: { metadata, spec: jobSpec },
};

const workspaceKind: ApplyKind = {
  name: 'Workspace',
  one: 'workspace',
  list: 'workspaces',
  parents: [],
  metadata: workspaceMetadata,
  isFlat: true,
};

/** In the order of creation. */
export const applyKinds: readonly ApplyKind[] = [
  workspaceKind,
  ...Object.entries(schemas).map(([kind, schema]) => ({ ...namesOf(kind), ...schema })),
];

function namesOf(name: string): Omit<ApplyKind, 'metadata' | 'spec'> {
  if (!isKindWith('isApplied', name)) throw new Error(`Manifests cannot hold the resource kind ${name}.`);
  const { typeName, field, list, hasStatus } = resourceKinds[name];
  const parents = containersOf(name).map((container) => parentOf(resourceKinds[container]));
  return { name: typeName, one: field, list, parents, hasStatus };
}

function parentOf({ shortName, typeName }: { shortName: string; typeName: string }): Parent {
  return { field: shortName, input: `${shortName}Name`, kind: typeName };
}

/** The kind of a document, as a person spells it: `EgressIp`, `egress-ips`, `previews`, `workspaces`. */
export function applyKindOf(typed: string): ApplyKind | undefined {
  if (isSpelling(typed, workspaceKind.name)) return workspaceKind;
  const kind = kindSpelled(typed);
  return kind && applyKinds.find(({ name }) => name === resourceKinds[kind].typeName);
}

export function isInWorkspace({ isFlat }: ApplyKind): boolean {
  return isFlat !== true;
}

/** The fields that tell when a resource of the kind was created, and by whom. A workspace has none in documents. */
export function originFields({ metadata: shape }: ApplyKind): string[] {
  return Object.keys(resourceOrigin.shape).filter((name) => Object.hasOwn(shape.shape, name));
}

/** Whether resources of the kind carry labels. */
export function hasLabels(kind: ApplyKind): boolean {
  return fieldsOf(kind.metadata).some(({ form }) => form.is === 'labels');
}

/** The field of a payload with the resource. */
export function payloadField({ name }: ApplyKind): string {
  return `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;
}
