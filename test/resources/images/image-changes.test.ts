// Images as a registry reports them, and as they are removed.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';
import { mutate, problemsOf, startedInTurn, untilWaiting } from '../mutations.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let count = 0;
let imageName: string;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main', 'side'] });
  ({ key } = await createKey(running.app, tenant));
});

beforeEach(() => {
  running.app.clock.now = frozenNow;
  imageName = `image-${count++}`;
});

const imageFields =
  'image { id version metadata { name updatedAt events { type message revision } } spec { size tags { nodes { name size } } } }';
const tagFields = 'imageTag { id version name size createdAt updatedAt }';

const push = (name: string, size: number, more: object = {}) =>
  mutate(running.app, key, 'registerImageTag', `${imageFields} ${tagFields}`, {
    workspace: 'main',
    resourceType: 'AGENTS',
    imageName,
    tag: { name, size },
    ...more,
  });

const remove = (mutation: string, fields: string, more: object = {}) =>
  mutate(running.app, key, mutation, fields, {
    workspace: 'main',
    resourceType: 'AGENTS',
    ...(mutation === 'deleteImageTag' ? { imageName } : { name: imageName }),
    ...more,
  });

const history = (kind: string) =>
  running.app.services.db.change.findMany({
    where: { accountId: tenant.accountId, kind, name: kind === 'IMAGE' ? imageName : { not: null } },
    orderBy: { sequence: 'asc' },
  });

describe('registerImageTag', () => {
  it('gives the image its display name, which later pushes keep, replace or remove, and which searches find', async () => {
    const shown = async () => {
      const list = `{ images(workspace: "main", search: "${imageName} title") { nodes { metadata { name displayName } } } }`;
      return (await graphql(running.app, key, list)).body.data.images.nodes;
    };
    await push('v1', 1, { displayName: `${imageName} Title` });
    const titled = [{ metadata: { name: imageName, displayName: `${imageName} Title` } }];
    expect(await shown()).toEqual(titled);
    await push('v2', 1);
    expect(await shown()).toEqual(titled);
    await push('v3', 1, { displayName: null });
    expect(await shown()).toEqual([]);
    expect(await history('IMAGE')).toMatchObject([
      { verb: 'created' },
      { fields: ['spec.size'] },
      { fields: ['metadata.displayName', 'spec.size'] },
    ]);
    const refused = await push('v4', 1, { displayName: 'x'.repeat(64) });
    expect(refused).toMatchObject({ code: 'invalid_input', problems: [{ path: ['displayName'], code: 'too_long' }] });
  });

  it('creates the image with its first tag, and adds up all sizes above 32 bits', async () => {
    const first = await push('v1', 3_000_000_000);
    const by = 'owner@northwind.example.com';
    expect(first).toMatchObject({
      image: {
        version: 1,
        metadata: { name: imageName, events: [{ type: 'push', message: `Pushed by ${by}`, revision: 'v1' }] },
        spec: { size: 3_000_000_000, tags: { nodes: [{ name: 'v1', size: 3_000_000_000 }] } },
      },
      imageTag: { version: 1, name: 'v1', size: 3_000_000_000, createdAt: frozenNow.toISOString() },
    });
    const second = await push('v2', 7);
    expect(second.image).toMatchObject({ id: first.image.id, version: 2, spec: { size: 3_000_000_007 } });
    const list = `{ images(workspace: "main", filter: { name: { in: ["${imageName}"] } }) { filteredCount } }`;
    expect((await graphql(running.app, key, list)).body.data.images.filteredCount).toBe(1);
    expect(await history('IMAGE')).toMatchObject([
      { verb: 'created', version: 1, before: null, after: { spec: { size: 3_000_000_000 } }, api: 'graphql' },
      { verb: 'updated', version: 2, fields: ['spec.size'] },
    ]);
  });

  it('moves an existing tag to the pushed manifest', async () => {
    const first = await push('latest', 10);
    running.app.clock.now = new Date(frozenNow.getTime() + 60_000);
    const second = await push('latest', 4);
    expect(second).toMatchObject({
      image: { version: 2, spec: { size: 4 }, metadata: { updatedAt: '2026-11-20T12:01:00.000Z' } },
      imageTag: {
        id: first.imageTag.id,
        version: 2,
        size: 4,
        createdAt: frozenNow.toISOString(),
        updatedAt: '2026-11-20T12:01:00.000Z',
      },
    });
  });

  it.each([
    ['3000000000', { data: { pushed: { imageTag: { size: 3_000_000_000 } } } }],
    ['1.5', { data: { pushed: { code: 'invalid_input', problems: [{ path: ['tag', 'size'] }] } } }],
    ['-1', { data: { pushed: { code: 'invalid_input', problems: [{ path: ['tag', 'size'] }] } } }],
    ['"7"', { errors: [{ message: expect.stringContaining('Bytes') }] }],
  ])('accepts %s as a size in a document', async (size, answer) => {
    const { body } = await graphql(
      running.app,
      key,
      `mutation { pushed: registerImageTag(input: { workspace: "main", resourceType: AGENTS, imageName: "${imageName}",
        tag: { name: "v1", size: ${size} } }) {
        ... on RegisterImageTagPayload { imageTag { size } } ... on InvalidInputError { code problems { path } } } }`,
    );
    expect(body).toMatchObject(answer);
  });

  it('adds up sizes exactly, and refuses a size for which it could not', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    await push('v1', most - 2);
    expect((await push('v2', 2)).image.spec.size).toBe(most);
    for (const size of [3, most]) {
      const refused = await push('v2', size);
      expect(refused.problems).toMatchObject([{ path: ['tag', 'size'], code: 'too_large', limit: 2 }]);
    }
    expect((await push('v1', 1)).image.spec.size).toBe(3);
    const removed = await remove('deleteImageTag', imageFields, { name: 'v2' });
    expect(removed.image.spec.size).toBe(1);
  });

  it('returns all validation errors together, and creates nothing', async () => {
    const refused = await push('-', -1, { imageName: 'Not A Name' });
    expect(refused.__typename).toBe('InvalidInputError');
    expect(problemsOf(refused)).toEqual(['imageName invalid_format', 'tag.name invalid_format', 'tag.size too_small']);
    expect(await running.app.services.db.image.count({ where: { name: 'Not A Name' } })).toBe(0);
  });

  it('changes nothing in a dry run', async () => {
    const tried = await push('v1', 5, { validateOnly: true });
    expect(tried).toMatchObject({ image: { version: 1 }, imageTag: { name: 'v1', size: 5 } });
    expect(await running.app.services.db.image.count({ where: { name: imageName } })).toBe(0);
    expect(await history('IMAGE')).toEqual([]);
  });

  it('adds up the sizes of concurrent pushes', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, index) => push(`v${index}`, index + 1)));
    const { image } = await push('last', 0);
    expect(image).toMatchObject({ version: 9, spec: { size: 36 } });
  });

  it('reads the tag after a concurrent push that created the image', async () => {
    // An account has three of the five connections: more pushes would wait for one.
    const pushes = Array.from({ length: 3 }, (_, index) => () => push('v1', index + 1));
    const answers = await startedInTurn(running.app, tenant.accountId, pushes);
    expect(new Set(answers.map(({ imageTag }) => imageTag.id)).size).toBe(1);
    const versions = answers.map(({ image, imageTag }) => [image.version, imageTag.version, image.spec.size]);
    const sizes = answers.map(({ imageTag }) => imageTag.size);
    expect(versions.toSorted(([one = 0], [other = 0]) => one - other).map(([image, tag]) => [image, tag])).toEqual(
      Array.from({ length: 3 }, (_, index) => [index + 1, index + 1]),
    );
    expect(versions.map(([, , size]) => size)).toEqual(sizes);
    const made = await history('IMAGE');
    expect(made.map(({ verb }) => verb)).toEqual(['created', ...Array.from({ length: 2 }, () => 'updated')]);
  });

  it('and a concurrent deleteImageTag leave an image with the sizes of its remaining tags', async () => {
    await push('keeps', 100);
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 3 === 2 ? remove('deleteImageTag', '__typename', { name: 'v1' }) : push(`v${index % 2}`, index + 1),
      ),
    );
    const { db } = running.app.services;
    const image = await db.image.findFirstOrThrow({ where: { name: imageName }, include: { tags: true } });
    expect(image.size).toBe(image.tags.reduce((sum, { size }) => sum + size, 0n));
    const records = await history('IMAGE');
    expect(records.map(({ version }) => version)).toEqual(Array.from({ length: image.version }, (_, each) => each + 1));
  });

  it.each([['without'], ['with']])(
    'counts the tags after each of two mutations of a document, %s a key',
    async (how) => {
      const pushed = (name: string) => `registerImageTag(input: { workspace: "main", resourceType: AGENTS,
      imageName: "${imageName}", tag: { name: "${name}", size: 3 } }) {
        ... on RegisterImageTagPayload { image { spec { tags { totalCount } } } } }`;
      const query = `mutation { one: ${pushed('v1')} two: ${pushed('v2')} }`;
      const headers = how === 'with' ? { 'idempotency-key': imageName } : {};
      const { body } = await graphql(running.app, key, query, {}, headers);
      const tags = (totalCount: number) => ({ image: { spec: { tags: { totalCount } } } });
      expect(body.data).toEqual({ one: tags(1), two: tags(2) });
    },
  );

  it('creates the image again if its deletion had begun', async () => {
    const first = await push('v1', 5);
    const started: ReturnType<typeof push>[] = [];
    await running.app.services.db.$begin(async (tx) => {
      await tx.$executeRaw`SELECT FROM "image" WHERE "name" = ${imageName} FOR UPDATE`;
      started.push(push('v2', 7));
      await untilWaiting(running.app, await tx.$prisma(), 1);
      await tx.$executeRaw`DELETE FROM "image" WHERE "name" = ${imageName}`;
    });
    const [{ image }] = await Promise.all(started);
    expect(image).toMatchObject({ version: 1, spec: { size: 7, tags: { nodes: [{ name: 'v2', size: 7 }] } } });
    expect(image.id).not.toBe(first.image.id);
  });

  it('returns the stored response for an Idempotency-Key, and creates one tag for concurrent callers', async () => {
    const query = `mutation { registerImageTag(input: { workspace: "main", resourceType: AGENTS, imageName: "${imageName}",
      tag: { name: "v1", size: 3 } }) { ... on RegisterImageTagPayload { ${imageFields} ${tagFields} } } }`;
    const send = () => graphql(running.app, key, query, {}, { 'idempotency-key': imageName });
    const answers = await Promise.all(Array.from({ length: 12 }, send));
    const { body } = await send();
    expect(body.data.registerImageTag).toMatchObject({ image: { version: 1 }, imageTag: { version: 1, size: 3 } });
    for (const { status, body: each } of answers)
      expect(status === 409 || each.data).toEqual(status === 409 || body.data);
    expect(await history('IMAGE')).toHaveLength(1);
  });
});

describe('deleteImageTag', () => {
  it('deletes the tag, and keeps the image with the sizes of the others', async () => {
    await push('v1', 5);
    await push('v2', 6);
    const removed = await remove('deleteImageTag', `${imageFields} ${tagFields}`, { name: 'v1' });
    expect(removed).toMatchObject({
      image: { version: 3, spec: { size: 6, tags: { nodes: [{ name: 'v2' }] } } },
      imageTag: { name: 'v1', size: 5 },
    });
    expect((await history('IMAGE_TAG')).at(-1)).toMatchObject({ verb: 'deleted', name: 'v1', before: { size: 5 } });
  });

  it('is rejected for an unknown tag, and for an outdated version', async () => {
    await push('v1', 5);
    expect(await remove('deleteImageTag', '__typename', { name: 'v9' })).toMatchObject({ code: 'not_found' });
    expect(await remove('deleteImageTag', '__typename', { name: 'a\0b' })).toMatchObject({ code: 'not_found' });
    const elsewhere = { name: 'v1', resourceType: 'JOBS' };
    expect(await remove('deleteImageTag', '__typename', elsewhere)).toMatchObject({ code: 'not_found' });
    await push('v1', 6);
    const refused = await remove('deleteImageTag', '__typename', { name: 'v1', ifVersion: 1 });
    expect(refused).toMatchObject({ code: 'version_mismatch', currentVersion: 2 });
    expect(refused.changedFields).not.toEqual([]);
  });
});

describe('deleteImage', () => {
  it('deletes the image with all its tags, records it, and frees its name', async () => {
    const { image } = await push('v1', 5);
    const removed = await remove('deleteImage', imageFields.replace('tags { nodes { name size } }', ''));
    expect(removed.image).toMatchObject({ id: image.id, spec: { size: 5 }, metadata: { name: imageName } });
    expect(removed.image.metadata.events.at(-1).type).toBe('deletion');
    const { db } = running.app.services;
    expect(await db.imageTag.count({ where: { image: { name: imageName } } })).toBe(0);
    expect((await history('IMAGE')).at(-1)).toMatchObject({ verb: 'deleted', before: { spec: { size: 5 } } });
    expect(await remove('deleteImage', '__typename')).toMatchObject({ code: 'not_found' });
    expect((await push('v1', 1)).image.version).toBe(1);
  });

  it('is rejected for an outdated version, and changes nothing in a dry run', async () => {
    await push('v1', 5);
    await push('v2', 5);
    expect(await remove('deleteImage', '__typename', { ifVersion: 1 })).toMatchObject({ code: 'version_mismatch' });
    expect(await remove('deleteImage', '__typename', { ifVersion: 2, validateOnly: true })).toMatchObject({
      __typename: 'DeleteImagePayload',
    });
    expect(await running.app.services.db.image.count({ where: { name: imageName } })).toBe(1);
  });

  it('is rejected while a share of it is pending', async () => {
    await push('v1', 5);
    const offer = { targetWorkspace: 'side' };
    const shared = await remove('shareImage', 'imageShare { id }', offer);
    expect(await remove('deleteImage', '__typename')).toMatchObject({
      code: 'in_use',
      usedByCount: 1,
      usedBy: [{ kind: 'IMAGE_SHARE', name: 'side' }],
    });
    await mutate(running.app, key, 'declineImageShare', 'imageShare { status }', { id: shared.imageShare.id });
    expect((await remove('deleteImage', '__typename')).__typename).toBe('DeleteImagePayload');
  });
});
