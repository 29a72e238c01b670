import { builder } from '../builder.js';
import { changeArguments, versionArgument } from '../change-arguments.js';
import { keepsAnswer, resultOf, resultType } from '../mutation.js';
import { inputType, updateInputType } from '../shape-input.js';
import type { Found } from '../../../store/read/found.js';
import { egressGatewayMetadata, egressGatewaySpec } from '../../../resources/networks/egress-gateway.js';
import type { EgressGatewayRow } from '../../../resources/networks/egress-gateway.js';
import {
  createEgressGateway,
  deleteEgressGateway,
  updateEgressGateway,
} from '../../../resources/networks/egress-gateway-changes.js';
import { GatewayType } from './graphql-egress.js';

interface GatewayPayload {
  egressGateway: Found<EgressGatewayRow>;
}

const CreateResult = resultType<GatewayPayload>('CreateEgressGateway', 'What createEgressGateway made', (t) => ({
  egressGateway: t.expose('egressGateway', { type: GatewayType, nullable: false }),
}));

const CreateInput = builder.inputType('CreateEgressGatewayInput', {
  description: 'The egress gateway to make, and of which VPC.',
  fields: (t) => ({
    ...changeArguments(t),
    vpcName: t.string({ required: true, description: 'Name of the VPC.' }),
    metadata: t.field({ type: inputType(egressGatewayMetadata), required: true, description: 'What it is called.' }),
    spec: t.field({ type: inputType(egressGatewaySpec), description: 'What it is meant to be.' }),
  }),
});

builder.mutationField('createEgressGateway', (t) =>
  t.field({
    type: CreateResult,
    nullable: false,
    description: 'Makes an egress gateway of a VPC. Needs the scope admin.',
    extensions: keepsAnswer('egressGateway'),
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The egress gateway.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ egressGateway: await createEgressGateway(ctx, input) })),
  }),
);

const UpdateResult = resultType<GatewayPayload>('UpdateEgressGateway', 'What updateEgressGateway changed', (t) => ({
  egressGateway: t.expose('egressGateway', { type: GatewayType, nullable: false, description: 'As it now is.' }),
}));

const UpdateInput = builder.inputType('UpdateEgressGatewayInput', {
  description: 'Which egress gateway to change, and what of it. What is absent stays, null removes.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    vpcName: t.string({ required: true, description: 'Name of the VPC.' }),
    name: t.string({ required: true, description: 'Name of the egress gateway.' }),
    metadata: t.field({ type: updateInputType(egressGatewayMetadata), description: 'What it is called.' }),
  }),
});

builder.mutationField('updateEgressGateway', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    description: 'Changes an egress gateway of a VPC. Its spec never changes. Needs the scope admin.',
    extensions: keepsAnswer('egressGateway'),
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'Which one, and what of it.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ egressGateway: await updateEgressGateway(ctx, input) })),
  }),
);

const DeleteResult = resultType<GatewayPayload>('DeleteEgressGateway', 'What deleteEgressGateway removed', (t) => ({
  egressGateway: t.expose('egressGateway', { type: GatewayType, nullable: false, description: 'As it was.' }),
}));

const DeleteInput = builder.inputType('DeleteEgressGatewayInput', {
  description: 'Which egress gateway to delete.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    vpcName: t.string({ required: true, description: 'Name of the VPC.' }),
    gatewayName: t.string({ required: true, description: 'Name of the egress gateway.' }),
  }),
});

builder.mutationField('deleteEgressGateway', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    description: 'Deletes an egress gateway that has no IPs. Needs the scope admin.',
    extensions: keepsAnswer('egressGateway'),
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { gatewayName: name, ...input } }, ctx) =>
      resultOf(async () => ({ egressGateway: await deleteEgressGateway(ctx, { ...input, name }) })),
  }),
);
