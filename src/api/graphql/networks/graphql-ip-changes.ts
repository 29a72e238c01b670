import { builder } from '../builder.js';
import { changeArguments, versionArgument } from '../change-arguments.js';
import { keepsAnswer, resultOf, resultType } from '../mutation.js';
import { inputType, updateInputType } from '../shape-input.js';
import type { Found } from '../../../store/read/found.js';
import { egressIpMetadata, egressIpSpec } from '../../../resources/networks/egress-ip.js';
import type { EgressIpRow } from '../../../resources/networks/egress-ip.js';
import { createEgressIp, deleteEgressIp, updateEgressIp } from '../../../resources/networks/egress-ip-changes.js';
import { EgressIpType } from './graphql-egress.js';

interface EgressIpPayload {
  egressIp: Found<EgressIpRow>;
}

const CreateResult = resultType<EgressIpPayload>('CreateEgressIp', 'What createEgressIp made', (t) => ({
  egressIp: t.expose('egressIp', { type: EgressIpType, nullable: false }),
}));

const CreateInput = builder.inputType('CreateEgressIpInput', {
  description: 'The egress IP to make, and of which gateway. The platform finds its address.',
  fields: (t) => ({
    ...changeArguments(t),
    vpcName: t.string({ required: true, description: 'Name of the VPC.' }),
    gatewayName: t.string({ required: true, description: 'Name of the egress gateway.' }),
    metadata: t.field({ type: inputType(egressIpMetadata), required: true, description: 'What it is called.' }),
    spec: t.field({ type: inputType(egressIpSpec), description: 'What it is meant to be.' }),
  }),
});

builder.mutationField('createEgressIp', (t) =>
  t.field({
    type: CreateResult,
    nullable: false,
    description: 'Makes an egress IP of a gateway. Needs the scope admin.',
    extensions: keepsAnswer('egressIp'),
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The egress IP.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ egressIp: await createEgressIp(ctx, input) })),
  }),
);

const UpdateResult = resultType<EgressIpPayload>('UpdateEgressIp', 'What updateEgressIp changed', (t) => ({
  egressIp: t.expose('egressIp', { type: EgressIpType, nullable: false, description: 'As it now is.' }),
}));

const UpdateInput = builder.inputType('UpdateEgressIpInput', {
  description: 'Which egress IP to change, and what of it. What is absent stays, null removes.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    vpcName: t.string({ required: true, description: 'Name of the VPC.' }),
    gatewayName: t.string({ required: true, description: 'Name of the egress gateway.' }),
    name: t.string({ required: true, description: 'Name of the egress IP.' }),
    metadata: t.field({ type: updateInputType(egressIpMetadata), description: 'What it is called.' }),
  }),
});

builder.mutationField('updateEgressIp', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    description: 'Changes an egress IP of a gateway. Its spec never changes. Needs the scope admin.',
    extensions: keepsAnswer('egressIp'),
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'Which one, and what of it.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ egressIp: await updateEgressIp(ctx, input) })),
  }),
);

const DeleteResult = resultType<EgressIpPayload>('DeleteEgressIp', 'What deleteEgressIp removed', (t) => ({
  egressIp: t.expose('egressIp', {
    type: EgressIpType,
    nullable: false,
    description: 'The egress IP as it was, its events ending with the deletion.',
  }),
}));

const DeleteInput = builder.inputType('DeleteEgressIpInput', {
  description: 'Which egress IP to delete.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    vpcName: t.string({ required: true, description: 'Name of the VPC.' }),
    gatewayName: t.string({ required: true, description: 'Name of the egress gateway.' }),
    ipName: t.string({ required: true, description: 'Name of the egress IP.' }),
  }),
});

builder.mutationField('deleteEgressIp', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    description: 'Deletes an egress IP. Needs the scope admin.',
    extensions: keepsAnswer('egressIp'),
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { ipName: name, ...input } }, ctx) =>
      resultOf(async () => ({ egressIp: await deleteEgressIp(ctx, { ...input, name }) })),
  }),
);
