// The fields between images and the workloads that run them.
import type { GraphQLResolveInfo } from 'graphql';
import type { RequestContext } from '../../../auth/context.js';
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { connectionComplexity, connectionFromPage, orNull, sliceFromArguments } from '../connection.js';
import { ResourceInterface } from '../resource.js';
import { rowFields } from '../row-fields.js';
import { selectedParts } from '../resource-list.js';
import { selectedColumns } from '../selection.js';
import type { PartialResource } from '../../../store/read/resource.js';
import { AgentType } from '../agents/agents.js';
import { JobType } from '../jobs/jobs.js';
import { SandboxType } from '../sandboxes/sandboxes.js';
import { ImageType } from './images.js';
import { getWorkloadImage, listImageWorkloads } from '../../../resources/images/image-workloads.js';
import type { WorkloadType } from '../../../resources/images/image-workloads.js';

export const ResourceEdge = builder.edgeObject({
  type: ResourceInterface,
  name: 'ResourceEdge',
  description: 'A resource and its cursor.',
});

export const ResourceConnection = builder.connectionObject(
  { type: ResourceInterface, name: 'ResourceConnection', description: 'A page of resources.' },
  ResourceEdge,
);

builder.objectField(ImageType, 'workloads', (t) =>
  t.connection(
    {
      type: ResourceInterface,
      nullable: true,
      description:
        'The agents, sandboxes or jobs of the workspace that run the image, ordered by name: workloads whose spec ' +
        'names an image of this name, in any registry and with any tag. Needs the scope agents:get, sandboxes:get or ' +
        'jobs:get.',
      complexity: connectionComplexity,
      resolve: async (image, args, ctx, info) => {
        const wanted = selectedParts(info);
        const page = await listImageWorkloads(ctx, image, { ...sliceFromArguments(args), wanted });
        return { ...connectionFromPage(page, page.cursors), total: page.total, filtered: page.filtered };
      },
    },
    ResourceConnection,
  ),
);

/** The columns of a workload that name its image. */
interface RunningRow {
  spec: { runtime?: { image?: string | undefined } | undefined };
}

const running = rowFields<RunningRow>();

function imageEdge(resourceType: WorkloadType) {
  return {
    type: ImageType,
    complexity: 2,
    description:
      'The image of the workspace that the workload runs. Null for an external image, which only `spec` names.',
    extensions: { ...requiresScopes([['admin']]), ...running.of(['spec'], () => undefined).extensions },
    resolve: async (
      found: PartialResource<RunningRow>,
      _args: object,
      ctx: RequestContext,
      info: GraphQLResolveInfo,
    ) => {
      const { spec } = await found.read(['spec']);
      const image = spec.runtime?.image;
      const wanted = { resourceType, workspace: found.workspace.name, image: image ?? '' };
      return image === undefined ? null : orNull(getWorkloadImage(ctx, wanted, selectedColumns(info)));
    },
  } as const;
}

builder.objectField(AgentType, 'image', (t) => t.field(imageEdge('agents')));

builder.objectField(SandboxType, 'image', (t) => t.field(imageEdge('sandboxes')));

builder.objectField(JobType, 'image', (t) => t.field(imageEdge('jobs')));
