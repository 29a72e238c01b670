// What can be written as a document, kind by kind, and what the gateway's GraphQL calls it. What a document holds
// follows from the shape of its kind, so that a new field of a shape is at once one of documents.
import type { z } from 'zod';
import { metadata } from '../schema/resource.js';
import { fieldsOf } from '../schema/shape.js';
import { workspaceMetadata } from '../accounts/workspace.js';
import { agentSpecAnswer } from '../resources/agents/agent-spec.js';
import { jobSpec } from '../resources/jobs/job.js';
import { egressGatewayMetadata, egressGatewaySpec } from '../resources/networks/egress-gateway.js';
import { egressIpMetadata, egressIpSpec } from '../resources/networks/egress-ip.js';
import { vpcSpec } from '../resources/networks/vpc.js';
import { previewMetadata, previewSpec } from '../resources/sandboxes/preview.js';
import { sandboxSpec } from '../resources/sandboxes/sandbox.js';
import { volumeSpec } from '../resources/volumes/volume.js';

/** What resources of a kind belong to, within the workspace. */
export interface Parent {
  /** The field of a document and the option of a command line that name it. */
  field: 'sandbox' | 'vpc' | 'gateway';
  /** The same in inputs of mutations. */
  input: string;
  /** Name of its kind. */
  kind: string;
}

export interface ApplyKind {
  /** As documents have it, and the names of mutations: `createAgent`. */
  name: string;
  /** The field of Query, or of the parent's type, that finds one by its name; and the connection of all. */
  one: string;
  list: string;
  /** What people call it as well. */
  alias?: string;
  /** Outermost first. */
  parents: Parent[];
  /** The field of the delete's input that names it. */
  nameInDelete: string;
  metadata: z.ZodObject;
  /** Absent for a workspace, which is what it is called and nothing more. */
  spec?: z.ZodObject;
  /** Whether what a workspace's type answers stands in no `metadata`. */
  isFlat?: true;
}

const ofSandbox: Parent = { field: 'sandbox', input: 'sandboxName', kind: 'Sandbox' };
const ofVpc: Parent = { field: 'vpc', input: 'vpcName', kind: 'Vpc' };
const ofGateway: Parent = { field: 'gateway', input: 'gatewayName', kind: 'EgressGateway' };

const named = { parents: [], nameInDelete: 'name', metadata };

/** In the order in which they are made: what others need comes before them. */
export const applyKinds: readonly ApplyKind[] = [
  { ...named, name: 'Workspace', one: 'workspace', list: 'workspaces', metadata: workspaceMetadata, isFlat: true },
  { ...named, name: 'Volume', one: 'volume', list: 'volumes', spec: volumeSpec },
  { ...named, name: 'Vpc', one: 'vpc', list: 'vpcs', spec: vpcSpec },
  {
    name: 'EgressGateway',
    one: 'egressGateway',
    list: 'egressGateways',
    alias: 'gateway',
    parents: [ofVpc],
    nameInDelete: 'gatewayName',
    metadata: egressGatewayMetadata,
    spec: egressGatewaySpec,
  },
  {
    name: 'EgressIp',
    one: 'ip',
    list: 'ips',
    parents: [ofVpc, ofGateway],
    nameInDelete: 'ipName',
    metadata: egressIpMetadata,
    spec: egressIpSpec,
  },
  { ...named, name: 'Agent', one: 'agent', list: 'agents', spec: agentSpecAnswer },
  { ...named, name: 'Sandbox', one: 'sandbox', list: 'sandboxes', spec: sandboxSpec },
  {
    name: 'SandboxPreview',
    one: 'preview',
    list: 'previews',
    parents: [ofSandbox],
    nameInDelete: 'previewName',
    metadata: previewMetadata,
    spec: previewSpec,
  },
  { ...named, name: 'Job', one: 'job', list: 'jobs', spec: jobSpec },
];

/** The kind of a name, as documents write it or as people do: `EgressIp`, `egress-ips`, `previews`. */
export function applyKindOf(typed: string): ApplyKind | undefined {
  const word = typed.toLowerCase().replaceAll(/[-_ ]/g, '');
  return applyKinds.find(({ name, one, list, alias = one }) => {
    const singular = [name, one, alias].map((each) => each.toLowerCase());
    return [...singular, ...singular.map((each) => `${each}s`), list.toLowerCase()].includes(word);
  });
}

export function isInWorkspace({ isFlat }: ApplyKind): boolean {
  return isFlat !== true;
}

/** Whether resources of the kind carry labels. */
export function hasLabels(kind: ApplyKind): boolean {
  return fieldsOf(kind.metadata).some(({ form }) => form.is === 'labels');
}

/** The field of a payload that holds the resource. */
export function payloadField({ name }: ApplyKind): string {
  return `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;
}
