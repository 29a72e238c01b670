// How the input of a mutation refers to the changed object: by `id`, or by `name` with the names of its parents.
import { invalidInput } from '../../errors.js';
import { problemAt } from '../../schema/problem.js';
import { resourceIdOf } from './global-id.js';
import type { InputFields } from './builder.js';

/** The input fields that refer to one object. @param label the name of its type, as in "the egress gateway". */
export function referenceFields(t: InputFields, label: string) {
  return {
    id: t.id({ description: `Global ID of the ${label}. Replaces \`name\` and the names of its parents.` }),
    name: t.string({ description: `Name of the ${label}. Required without \`id\`.` }),
  };
}

/** The same for an object in a workspace. */
export function resourceReferenceFields(t: InputFields, label: string) {
  return {
    ...referenceFields(t, label),
    workspace: t.string({
      description: 'Name of the workspace (default: the workspace of the header). Not allowed with `id`.',
    }),
  };
}

/** The input field of an object that only an id identifies. */
export function idField(t: InputFields, label: string) {
  return { id: t.id({ required: true, description: `Global ID of the ${label}.` }) };
}

/** The name of a parent. @param label the name of its type. */
export function parentNameField(t: InputFields, label: string) {
  return t.string({ description: `Name of the ${label}. Required without \`id\`.` });
}

export interface ReferenceInput {
  id?: string | null | undefined;
  workspace?: string | null | undefined;
  name?: string | null | undefined;
}

type Given<Names> = { [Name in keyof Names]: Names[Name] | null | undefined };

/**
 * The reference in an input.
 *
 * @param type the GraphQL type of the object.
 * @param names the name of the object and those of its parents, as they are given. All are required without an id.
 * @throws 400 `invalid_parameter` for an invalid id, or the id of another type; 400 `invalid_input` if the input has both
 *   an id and names, or if a name is missing.
 */
export function referenceOf<Names extends object>(
  type: string,
  { id, workspace }: ReferenceInput,
  names: Given<Names>,
): { id: string } | ({ id: undefined; workspace: string | null | undefined } & Names) {
  const given = Object.entries({ workspace, ...names }).filter(([, value]) => value != null);
  if (id != null) {
    const [name] = given.map(([each]) => each);
    if (name !== undefined) throw invalidInput([problemAt([name], 'invalid_value', 'must be absent if id is given')]);
    return { id: resourceIdOf(type, id) };
  }
  if (isComplete<Names>(names)) return { id: undefined, workspace, ...names };
  const isNamed = Object.values(names).some((value) => value != null);
  const missing = isNamed ? Object.keys(names).filter((name) => !given.some(([each]) => each === name)) : ['id'];
  const rule = isNamed ? 'is required without id' : `or ${listOf(Object.keys(names))} is required`;
  throw invalidInput(missing.map((name) => problemAt([name], 'required', rule)));
}

/** An input with its reference, for an object that its name identifies. @param type the GraphQL type of the object. */
export function withReference<Input extends ReferenceInput>(type: string, input: Input) {
  return { ...input, ...referenceOf(type, input, { name: input.name }) };
}

/** An input with its id decoded, for an object that only an id identifies. @throws 400 `invalid_parameter` */
export function withId<Input extends { id: string }>(type: string, input: Input): Input {
  return { ...input, id: resourceIdOf(type, input.id) };
}

function isComplete<Names extends object>(names: Given<Names>): names is Given<Names> & Names {
  return Object.values(names).every((value) => value != null);
}

function listOf(names: string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
