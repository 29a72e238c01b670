import { builder } from '../builder.js';
import { changeArguments, versionArgument } from '../change-arguments.js';
import { keepsAnswer, resultOf, resultType } from '../mutation.js';
import { inputType, updateInputType } from '../shape-input.js';
import type { Found } from '../../../store/read/found.js';
import { metadata } from '../../../schema/resource.js';
import { VpcType } from './graphql.js';
import { vpcSpec } from '../../../resources/networks/vpc.js';
import type { VpcRow } from '../../../resources/networks/vpc.js';
import { createVpc, deleteVpc, updateVpc } from '../../../resources/networks/vpc-changes.js';

interface VpcPayload {
  vpc: Found<VpcRow>;
}

const CreateResult = resultType<VpcPayload>('CreateVpc', 'What createVpc made', (t) => ({
  vpc: t.expose('vpc', { type: VpcType, nullable: false }),
}));

const CreateInput = builder.inputType('CreateVpcInput', {
  description: 'The VPC to make.',
  fields: (t) => ({
    ...changeArguments(t),
    metadata: t.field({ type: inputType(metadata), required: true, description: 'What it is called.' }),
    spec: t.field({ type: inputType(vpcSpec), description: 'What it is meant to be.' }),
  }),
});

builder.mutationField('createVpc', (t) =>
  t.field({
    type: CreateResult,
    nullable: false,
    description: 'Makes a VPC. Needs the scope admin.',
    extensions: keepsAnswer('vpc'),
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The VPC.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ vpc: await createVpc(ctx, input) })),
  }),
);

const UpdateResult = resultType<VpcPayload>('UpdateVpc', 'What updateVpc changed', (t) => ({
  vpc: t.expose('vpc', { type: VpcType, nullable: false, description: 'As it now is.' }),
}));

const UpdateInput = builder.inputType('UpdateVpcInput', {
  description: 'Which VPC to change, and what of it. What is absent stays, null removes, lists are replaced whole.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    name: t.string({ required: true, description: 'Name of the VPC.' }),
    metadata: t.field({ type: updateInputType(metadata), description: 'What it is called.' }),
    spec: t.field({ type: updateInputType(vpcSpec), description: 'What it is meant to be.' }),
  }),
});

builder.mutationField('updateVpc', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    description: 'Changes a VPC. Needs the scope admin.',
    extensions: keepsAnswer('vpc'),
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'Which one, and what of it.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ vpc: await updateVpc(ctx, input) })),
  }),
);

const DeleteResult = resultType<VpcPayload>('DeleteVpc', 'What deleteVpc removed', (t) => ({
  vpc: t.expose('vpc', { type: VpcType, nullable: false, description: 'As it was.' }),
}));

const DeleteInput = builder.inputType('DeleteVpcInput', {
  description: 'Which VPC to delete.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    name: t.string({ required: true, description: 'Name of the VPC.' }),
  }),
});

builder.mutationField('deleteVpc', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    description: 'Deletes a VPC that has no egress gateways. Needs the scope admin.',
    extensions: keepsAnswer('vpc'),
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ vpc: await deleteVpc(ctx, input) })),
  }),
);
