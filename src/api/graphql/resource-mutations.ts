// The mutations that create, update and delete a resource. They differ by kind in their input and in the function that
// does the work. Their names, results and descriptions follow from the registry of kinds.
import type { z } from 'zod';
import type { InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { ServiceContext } from '../../http/open-context.js';
import { resourceKinds } from '../../resource-kinds.js';
import type { ResourceKindName } from '../../resource-kinds.js';
import { metadata } from '../../schema/resource.js';
import { resourceOrigin } from '../../schema/resource-origin.js';
import {
  createSpecified,
  deleteSpecified,
  redeploySpecified,
  updateSpecified,
} from '../../resources/specified-changes.js';
import type { SpecifiedKind } from '../../resources/specified-changes.js';
import type { PartialResource } from '../../store/read/resource.js';
import type { SpecifiedRow } from '../../store/read/resource-row.js';
import { resourceReferenceFields, withReference } from './reference.js';
import { changeArguments, dryRunArgument, versionArgument } from './change-arguments.js';
import { addMutation, nonNull } from './mutation.js';
import { inputType, updateInputType } from './shape-input.js';
import type { RequiredScopes } from './required-scopes.js';
import type { InputFields, Types } from './builder.js';

type Creation = ReturnType<typeof creationArguments>;
type Referenced = ReturnType<typeof lockedReferenceFields>;

interface Payload<Row extends object> {
  resource: PartialResource<Row>;
}

interface ResourceMutation<All extends InputFieldMap, Fields extends InputFieldMap, Row extends object> {
  /** The type of the resource. */
  type: ObjectRef<Types, PartialResource<Row>>;
  scopes: RequiredScopes;
  description: string;
  /** The input fields of the kind, in addition to those that all kinds have. */
  input: (t: InputFields) => Fields;
  run: (ctx: ServiceContext, input: InputShapeFromFields<All>) => Promise<PartialResource<Row>>;
}

/** Adds the mutation that creates a resource of a kind: `createAgent`. */
export function addCreateMutation<Fields extends InputFieldMap, Row extends object>(
  kind: ResourceKindName,
  { type, input, run, ...mutation }: ResourceMutation<Creation & Fields, Fields, Row>,
): void {
  const { typeName, label } = resourceKinds[kind];
  addMutation<Creation & Fields, Payload<Row>>(`create${typeName}`, {
    ...mutation,
    inputDescription: `The properties of the ${label} to create.`,
    argumentDescription: 'The properties of the resource to create.',
    input: (t) => ({ ...creationArguments(t), ...input(t) }),
    run: async (ctx, given) => ({ resource: await run(ctx, given) }),
    payloadDescription: `The result of create${typeName}`,
    payload: (t) => ({ [fieldOf(typeName)]: t.expose('resource', nonNull(type, `The created ${label}.`)) }),
  });
}

/** Adds the mutation that updates a resource of a kind: `updateAgent`. */
export function addUpdateMutation<Fields extends InputFieldMap, Row extends object>(
  kind: ResourceKindName,
  { type, input, run, ...mutation }: ResourceMutation<Referenced & Fields, Fields, Row>,
): void {
  const { typeName, label } = resourceKinds[kind];
  addMutation<Referenced & Fields, Payload<Row>>(`update${typeName}`, {
    ...mutation,
    inputDescription:
      `The ${label} to update, and its new values. An absent field keeps its value, null removes the value, and a ` +
      'list replaces the whole list.',
    argumentDescription: 'The resource to update, and its new values.',
    input: (t) => ({ ...lockedReferenceFields(t, label), ...input(t) }),
    run: async (ctx, given) => ({ resource: await run(ctx, given) }),
    payloadDescription: `The result of update${typeName}`,
    payload: (t) => ({ [fieldOf(typeName)]: t.expose('resource', nonNull(type, `The updated ${label}.`)) }),
  });
}

/** Adds the mutation that deletes a resource of a kind: `deleteAgent`. Its input has the names of the containers. */
export function addDeleteMutation<Fields extends InputFieldMap, Row extends object>(
  kind: ResourceKindName,
  { type, input, run, ...mutation }: ResourceMutation<Referenced & Fields, Fields, Row>,
): void {
  const { typeName, label } = resourceKinds[kind];
  const deleted = `The deleted ${label}. Its last event is the deletion.`;
  addMutation<Referenced & Fields, Payload<Row>>(`delete${typeName}`, {
    ...mutation,
    inputDescription: `The ${label} to delete.`,
    argumentDescription: 'The resource to delete.',
    input: (t) => ({ ...lockedReferenceFields(t, label), ...input(t) }),
    run: async (ctx, given) => ({ resource: await run(ctx, given) }),
    payloadDescription: `The result of delete${typeName}`,
    payload: (t) => ({ [fieldOf(typeName)]: t.expose('resource', nonNull(type, deleted)) }),
  });
}

/** Adds the mutation that deploys a resource of a kind again: `redeployAgent`. Its input has the names of the containers. */
export function addRedeployMutation<Fields extends InputFieldMap, Row extends object>(
  kind: ResourceKindName,
  { type, input, run, scopes }: Omit<ResourceMutation<Referenced & Fields, Fields, Row>, 'description'>,
): void {
  const { typeName, label } = resourceKinds[kind];
  addMutation<Referenced & Fields, Payload<Row>>(`redeploy${typeName}`, {
    scopes,
    description: `Deploys ${withArticle(label)} again without a change: after a failure, or to restart it. Its version stays.`,
    inputDescription: `The ${label} to deploy again.`,
    argumentDescription: 'The resource to deploy again.',
    input: (t) => ({ ...lockedReferenceFields(t, label), ...input(t) }),
    run: async (ctx, given) => ({ resource: await run(ctx, given) }),
    payloadDescription: `The result of redeploy${typeName}`,
    payload: (t) => ({
      [fieldOf(typeName)]: t.expose('resource', nonNull(type, `The ${label}, with its new status.`)),
    }),
  });
}

interface SpecifiedMutations<Spec extends object> {
  type: ObjectRef<Types, PartialResource<SpecifiedRow<Spec>>>;
  /** The schema of its specification. */
  spec: z.core.$ZodType;
  isSpecRequired?: boolean;
  /** The description of the deletion. */
  deletion: string;
}

/** Adds all four mutations of a kind directly in a workspace, with Metadata and a specification. */
export function addSpecifiedMutations<Spec extends object>(
  writable: SpecifiedKind<Spec>,
  { type, spec, isSpecRequired = false, deletion }: SpecifiedMutations<Spec>,
): void {
  const { name, label } = writable.kind;
  const { typeName } = resourceKinds[name];
  const { scopes } = writable;
  addCreateMutation(name, {
    type,
    scopes: [[scopes.create]],
    description: `Creates ${withArticle(label)}.`,
    input: (t) => ({
      metadata: t.field({ type: inputType(metadata), required: true, description: 'Name, display name and labels.' }),
      spec: t.field({ type: inputType(spec), required: isSpecRequired, description: 'Desired configuration.' }),
    }),
    run: (ctx, input) => createSpecified(ctx, writable, input),
  });
  addUpdateMutation(name, {
    type,
    scopes: [[scopes.update]],
    description: `Updates ${withArticle(label)}.`,
    input: (t) => ({
      metadata: t.field({ type: updateInputType(metadata), description: 'Display name and labels.' }),
      spec: t.field({ type: updateInputType(spec), description: 'Desired configuration.' }),
    }),
    run: (ctx, input) => updateSpecified(ctx, writable, withReference(typeName, input)),
  });
  addDeleteMutation(name, {
    type,
    scopes: [[scopes.delete]],
    description: deletion,
    input: () => ({}),
    run: (ctx, input) => deleteSpecified(ctx, writable, withReference(typeName, input)),
  });
  addRedeployMutation(name, {
    type,
    scopes: [[scopes.update]],
    input: () => ({}),
    run: (ctx, input) => redeploySpecified(ctx, writable, withReference(typeName, input)),
  });
}

function withArticle(label: string): string {
  return `${/^[aeiou]/.test(label) ? 'an' : 'a'} ${label}`;
}

function creationArguments(t: InputFields) {
  return {
    ...changeArguments(t),
    origin: t.field({
      type: inputType(resourceOrigin),
      description:
        'The creation of the resource on the platform where it comes from. Only admins of the platform can set it, with ' +
        'the scope `admin`. The change log records who moves it in, and when.',
    }),
  };
}

function lockedReferenceFields(t: InputFields, label: string) {
  return { ...dryRunArgument(t), ...versionArgument(t), ...resourceReferenceFields(t, label) };
}

/** The field of a payload that has the resource: `agent`. */
function fieldOf(typeName: string): string {
  return `${typeName.slice(0, 1).toLowerCase()}${typeName.slice(1)}`;
}
