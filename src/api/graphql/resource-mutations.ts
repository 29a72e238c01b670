// The mutations that create, update and delete a resource. They differ by kind in their input and in the function that
// does the work. Their names, results and descriptions follow from the registry of kinds.
import type { InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { RequestContext } from '../../auth/context.js';
import { resourceKinds } from '../../resource-kinds.js';
import type { ResourceKindName } from '../../resource-kinds.js';
import type { PartialResource } from '../../store/read/resource.js';
import { resourceAddressFields } from './address.js';
import { builder } from './builder.js';
import { changeArguments, dryRunArgument, versionArgument } from './change-arguments.js';
import { resultOf, resultType } from './mutation.js';
import type { requiresScopes } from './required-scopes.js';

type Types = (typeof builder)['$inferSchemaTypes'];
type InputFields = Parameters<typeof changeArguments>[0];

interface ResourceMutation<Args extends InputFieldMap, Row extends object> {
  /** The type of the resource. */
  type: ObjectRef<Types, PartialResource<Row>>;
  extensions: ReturnType<typeof requiresScopes>;
  description: string;
  args: Args;
  run: (ctx: RequestContext, args: InputShapeFromFields<Args>) => Promise<PartialResource<Row>>;
}

/** The argument `input` of a mutation that creates a resource. */
export function createInput<Fields extends InputFieldMap>(kind: ResourceKindName, fields: (t: InputFields) => Fields) {
  const type = builder.inputType(`Create${resourceKinds[kind].typeName}Input`, {
    description: `The properties of the ${resourceKinds[kind].label} to create.`,
    fields: (t) => ({ ...changeArguments(t), ...fields(t) }),
  });
  return builder.args((t) => ({
    input: t.field({ type, required: true, description: 'The properties of the resource to create.' }),
  }));
}

/** The argument `input` of a mutation that updates a resource. */
export function updateInput<Fields extends InputFieldMap>(kind: ResourceKindName, fields: (t: InputFields) => Fields) {
  const { typeName, label } = resourceKinds[kind];
  const type = builder.inputType(`Update${typeName}Input`, {
    description:
      `The ${label} to update, and its new values. An absent field keeps its value, null removes the value, and a ` +
      'list replaces the whole list.',
    fields: (t) => ({
      ...dryRunArgument(t),
      ...versionArgument(t),
      ...resourceAddressFields(t, label),
      ...fields(t),
    }),
  });
  return builder.args((t) => ({
    input: t.field({ type, required: true, description: 'The resource to update, and its new values.' }),
  }));
}

/** The argument `input` of a mutation that deletes a resource. @param parents names of the resources that contain it. */
export function deleteInput<Fields extends InputFieldMap>(kind: ResourceKindName, parents: (t: InputFields) => Fields) {
  const { typeName, label } = resourceKinds[kind];
  const type = builder.inputType(`Delete${typeName}Input`, {
    description: `The ${label} to delete.`,
    fields: (t) => ({
      ...dryRunArgument(t),
      ...versionArgument(t),
      ...resourceAddressFields(t, label),
      ...parents(t),
    }),
  });
  return builder.args((t) => ({ input: t.field({ type, required: true, description: 'The resource to delete.' }) }));
}

/** Adds the mutation that creates a resource of a kind: `createAgent`. */
export function addCreateMutation<Args extends InputFieldMap, Row extends object>(
  kind: ResourceKindName,
  mutation: ResourceMutation<Args, Row>,
): void {
  addMutation(kind, `create${resourceKinds[kind].typeName}`, `The created ${resourceKinds[kind].label}.`, mutation);
}

/** Adds the mutation that updates a resource of a kind: `updateAgent`. */
export function addUpdateMutation<Args extends InputFieldMap, Row extends object>(
  kind: ResourceKindName,
  mutation: ResourceMutation<Args, Row>,
): void {
  addMutation(kind, `update${resourceKinds[kind].typeName}`, `The updated ${resourceKinds[kind].label}.`, mutation);
}

/** Adds the mutation that deletes a resource of a kind: `deleteAgent`. */
export function addDeleteMutation<Args extends InputFieldMap, Row extends object>(
  kind: ResourceKindName,
  mutation: ResourceMutation<Args, Row>,
): void {
  const payload = `The deleted ${resourceKinds[kind].label}. Its last event is the deletion.`;
  addMutation(kind, `delete${resourceKinds[kind].typeName}`, payload, mutation);
}

function addMutation<Args extends InputFieldMap, Row extends object>(
  kind: ResourceKindName,
  name: string,
  payload: string,
  { type, extensions, description, args, run }: ResourceMutation<Args, Row>,
): void {
  const { typeName } = resourceKinds[kind];
  const field = `${typeName.slice(0, 1).toLowerCase()}${typeName.slice(1)}`;
  const resultName = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const result = resultType<{ resource: PartialResource<Row> }>(resultName, `The result of ${name}`, (t) => ({
    [field]: t.expose('resource', { type, nullable: false, description: payload }),
  }));
  builder.mutationField(name, (t) =>
    t.field({
      type: result,
      nullable: false,
      extensions,
      description,
      args,
      resolve: (_root, given, ctx) => resultOf(async () => ({ resource: await run(ctx, given) })),
    }),
  );
}
