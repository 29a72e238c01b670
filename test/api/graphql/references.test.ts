// One generic client updates and deletes objects of every type, by id and by name. It knows the mutations by introspection.
import { beforeAll, describe, expect, it } from 'vitest';
import { getNamedType, isInputObjectType, isObjectType } from 'graphql';
import type { GraphQLInputFieldMap } from 'graphql';
import { encodeGlobalId } from '../../../src/api/graphql/global-id.js';
import { schema } from '../../../src/api/graphql/server/schema.js';
import { containersOf, resourceKindNames, resourceKinds } from '../../../src/resource-kinds.js';
import { createKey, createTenant, useApp } from '../../harness.js';
import type { Answer, Tenant } from '../../harness.js';
import { addPlatform } from '../../platform.js';
import { mutate } from '../../resources/mutations.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let foreignKey: string;
const ids = new Map<string, string>();

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'byid', 'byname'] });
  const foreign = await createTenant(app, { account: 'southwind', workspaces: ['elsewhere'] });
  ({ key } = await createKey(app, tenant));
  ({ key: foreignKey } = await createKey(app, foreign));
  await app.services.db.executor.deleteMany({});
  for (const mark of ['byid', 'byname', 'kept']) {
    const made = await addPlatform(app, tenant.workspaces['main'] ?? '', mark);
    for (const [type, id] of Object.entries(made)) ids.set(`${type} ${mark}`, encodeGlobalId(type, id));
    await app.services.db.imageShare.deleteMany({});
  }
  for (const mark of ['byid', 'byname']) {
    ids.set(`Workspace ${mark}`, encodeGlobalId('Workspace', tenant.workspaces[mark] ?? ''));
  }
  ids.set('Workspace kept', encodeGlobalId('Workspace', tenant.workspaces['main'] ?? ''));
});

interface Change {
  mutation: string;
  type: string;
  fields: GraphQLInputFieldMap;
}

const field = (type: string) => `${type.charAt(0).toLowerCase()}${type.slice(1)}`;

/** The mutations that update or delete objects with a global id. */
const changes: Change[] = Object.keys(schema.getMutationType()?.getFields() ?? {}).flatMap((mutation) => {
  const type = /^(?:update|delete)(.+)$/.exec(mutation)?.[1] ?? '';
  const [object, input] = [
    schema.getType(type),
    schema.getType(`${mutation.replace(/^./, (a) => a.toUpperCase())}Input`),
  ];
  const isNode = isObjectType(object) && object.getInterfaces().some(({ name }) => name === 'Node');
  return isNode && isInputObjectType(input) ? [{ mutation, type, fields: input.getFields() }] : [];
});

const isNamed = ({ fields }: Change) => 'name' in fields && 'id' in fields;

/** Children are deleted before their parents. */
const depthOf = (type: string) => {
  const kind = resourceKindNames.find((each) => resourceKinds[each].typeName === type);
  return kind === undefined ? -1 : containersOf(kind).length;
};
const named = changes
  .filter((change) => isNamed(change) && !['Account', 'Webhook'].includes(change.type))
  .toSorted((a, b) => depthOf(b.type) - depthOf(a.type) || (a.mutation < b.mutation ? 1 : -1));

/** The name, its parents' names, and the workspace of an object of the platform with a mark. */
function namesOf({ type, fields }: Change, mark: string): Record<string, unknown> {
  const kind = resourceKindNames.find((each) => resourceKinds[each].typeName === type);
  const own =
    kind === undefined ? mark : kind === 'IMAGE_TAG' ? `${mark}-v1.0` : `${mark}-${resourceKinds[kind].shortName}`;
  const parents = Object.keys(fields).filter((each) => /.Name$/.test(each));
  return {
    ...('workspace' in fields && { workspace: 'main' }),
    ...('resourceType' in fields && { resourceType: 'AGENTS' }),
    ...Object.fromEntries(parents.map((each) => [each, `${mark}-${each.slice(0, -'Name'.length)}`])),
    name: type === 'Workspace' && mark === 'kept' ? 'main' : own,
  };
}

const idOf = ({ type }: Change, mark: string) => ({ id: ids.get(`${type} ${mark}`) });

function send({ mutation, type }: Change, input: object, by = key): Promise<Answer['body']> {
  return mutate(running.app, by, mutation, `${field(type)} { id }`, input);
}

describe('Inputs of updates and deletions', () => {
  it('cover every kind with a name', () => {
    const covered = new Set(named.map(({ type }) => type));
    const unnamed = ['JobExecution', 'ImageShare'];
    const kinds = resourceKindNames
      .map((kind) => resourceKinds[kind].typeName)
      .filter((type) => !unnamed.includes(type));
    expect([...covered].toSorted()).toEqual([...kinds, 'Workspace'].toSorted());
  });

  it.each(changes)('$mutation takes the id, alone or in place of the names', ({ fields }) => {
    expect(getNamedType(fields['id']?.type)?.name).toBe('ID');
    const isById = String(fields['id']?.type) === 'ID!';
    const names = Object.keys(fields).filter((each) => /^(?:workspace|name|.+Name|resourceType)$/.test(each));
    // A webhook is addressed by id; its `name` is a new value.
    const allowed = isById ? names.filter((each) => each === 'name') : names;
    expect(names).toEqual(allowed);
    expect(names.filter((each) => String(fields[each]?.type).endsWith('!'))).toEqual([]);
  });
});

describe.each(named)('$mutation', (change) => {
  const values = change.mutation.startsWith('update') ? { metadata: { displayName: 'Renamed' } } : {};

  it.each(['byid', 'byname'])('changes the object %s', async (mark) => {
    const address = mark === 'byid' ? idOf(change, mark) : namesOf(change, mark);
    for (const validateOnly of [true, false]) {
      const answer = await send(change, { ...address, ...values, validateOnly });
      expect(answer).toMatchObject({
        __typename: expect.stringMatching(/Payload$/),
        [field(change.type)]: idOf(change, mark),
      });
    }
  });

  it('refuses an id together with names', async () => {
    for (const [name, value] of Object.entries(namesOf(change, 'kept'))) {
      expect(await send(change, { ...idOf(change, 'kept'), [name]: value })).toMatchObject({
        code: 'invalid_input',
        problems: [{ path: [name], message: `${name} must be absent if id is given` }],
      });
    }
  });

  it('requires an id or all names', async () => {
    expect(await send(change, {})).toMatchObject({
      code: 'invalid_input',
      problems: [{ path: ['id'], code: 'required' }],
    });
    const { workspace, ...names } = namesOf(change, 'kept');
    if (Object.keys(names).length === 1) return;
    for (const missing of Object.keys(names)) {
      const { [missing]: _, ...rest } = names;
      expect(await send(change, { workspace, ...rest })).toMatchObject({
        code: 'invalid_input',
        problems: [{ path: [missing], message: `${missing} is required without id` }],
      });
    }
  });

  it('refuses the id of another type, of another account, and one that is none', async () => {
    const other = encodeGlobalId('ApiKey', '00000000-0000-4000-8000-000000000000');
    for (const id of [other, 'none']) {
      expect(await send(change, { id })).toMatchObject({ code: 'invalid_parameter', problems: [{ path: ['id'] }] });
    }
    const unknown = { id: encodeGlobalId(change.type, '00000000-0000-4000-8000-000000000000') };
    const expected = await send(change, unknown, foreignKey);
    expect(expected).toMatchObject({ code: change.type === 'Workspace' ? 'forbidden' : 'not_found' });
    expect(await send(change, idOf(change, 'kept'), foreignKey)).toEqual(expected);
  });

  it('does not tell a caller without its scope whether an id exists', async () => {
    const { key: by } = await createKey(running.app, { ...tenant, scope: 'metrics:read' });
    const unknown = { id: encodeGlobalId(change.type, '00000000-0000-4000-8000-000000000000') };
    const refused = await send(change, unknown, by);
    expect(refused).toMatchObject({ __typename: 'ForbiddenError' });
    expect(await send(change, idOf(change, 'kept'), by)).toEqual(refused);
  });
});

it('runs a job and shares an image by id', async () => {
  const job = await mutate(running.app, key, 'runJob', 'jobExecution { id }', { id: ids.get('Job kept') });
  expect(job.__typename).toBe('RunJobPayload');
  const offer = { id: ids.get('Image kept'), targetWorkspace: 'elsewhere', targetAccount: 'southwind' };
  const share = await mutate(running.app, key, 'shareImage', 'imageShare { id }', offer);
  expect(share.__typename).toBe('ShareImagePayload');
});
