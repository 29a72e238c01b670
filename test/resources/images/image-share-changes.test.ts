// Shares of images between tenants: permissions of each step, and the view of each side.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, useApp } from '../../harness.js';
import type { Answer, Tenant } from '../../harness.js';
import { keyOfSomebody, mutate, problemsOf } from '../mutations.js';

const running = useApp();
let giver: Tenant;
let taker: Tenant;
let giversKey: string;
let takersKey: string;
let strangersKey: string;
let count = 0;
let imageName: string;

beforeAll(async () => {
  const { app } = running;
  giver = await createTenant(app, { account: 'giver', workspaces: ['lab', 'annex'] });
  taker = await createTenant(app, { account: 'taker', workspaces: ['plant'] });
  const stranger = await createTenant(app, { account: 'stranger', workspaces: ['elsewhere'] });
  ({ key: giversKey } = await createKey(app, giver));
  ({ key: takersKey } = await createKey(app, taker));
  ({ key: strangersKey } = await createKey(app, stranger));
});

beforeEach(async () => {
  imageName = `image-${count++}`;
  await push('v1', 5);
});

const image = () => ({ workspace: 'lab', resourceType: 'JOBS', name: imageName });

const push = (name: string, size: number) =>
  mutate(running.app, giversKey, 'registerImageTag', '__typename', {
    workspace: 'lab',
    resourceType: 'JOBS',
    imageName,
    tag: { name, size },
  });

const shareFields = `imageShare { id version status spec { resourceType imageName } events { type message }
  metadata { id workspaceName sourceAccountName sourceWorkspaceName createdBy updatedBy decidedBy decidedAt } }`;

const share = (more: object = {}, by = giversKey) =>
  mutate(running.app, by, 'shareImage', shareFields, {
    ...image(),
    targetAccount: 'taker',
    targetWorkspace: 'plant',
    ...more,
  });

const decide = (word: 'accept' | 'decline' | 'revoke', id: string, by: string, more: object = {}) =>
  mutate(running.app, by, `${word}ImageShare`, shareFields, { id, ...more });

async function ask(by: string, query: string): Promise<Answer['body']> {
  const { body } = await graphql(running.app, by, query);
  expect(body.errors).toBeUndefined();
  return body.data;
}

const pending = async () =>
  (await ask(takersKey, `{ pendingImageShares(workspace: "plant", search: "${imageName}") { nodes { id } } }`))
    .pendingImageShares.nodes;

const offered = async () =>
  (
    await ask(
      giversKey,
      `{ offeredImageShares(workspace: "lab", filter: { imageName: { in: ["${imageName}"] } }) { nodes { ${shareFields.replace('imageShare {', '')} } }`,
    )
  ).offeredImageShares.nodes;

const histories = async () => {
  const { db } = running.app.services;
  const rows = await db.change.findMany({
    where: { kind: 'IMAGE_SHARE', name: imageName },
    orderBy: { sequence: 'asc' },
  });
  const of = ({ accountId }: Tenant) => rows.filter((row) => row.accountId === accountId);
  return { giver: of(giver), taker: of(taker) };
};

const givers = 'owner@giver.example.com';
const takers = 'owner@taker.example.com';

describe('shareImage', () => {
  it('offers an image, visible on both sides in each side’s view', async () => {
    const { imageShare } = await share();
    expect(imageShare).toMatchObject({
      version: 1,
      status: 'PENDING',
      spec: { resourceType: 'JOBS', imageName },
      metadata: { workspaceName: 'plant', sourceAccountName: 'giver', sourceWorkspaceName: 'lab', createdBy: givers },
      events: [{ type: 'offer', message: `Offered by ${givers}` }],
    });
    expect(await pending()).toEqual([{ id: imageShare.id }]);
    expect(await offered()).toEqual([imageShare]);
    expect(await histories()).toMatchObject({
      giver: [{ verb: 'shared', actorName: givers, workspaceId: giver.workspaces['lab'] }],
      taker: [
        {
          verb: 'shared',
          actorKind: 'system',
          actorName: null,
          address: null,
          workspaceId: taker.workspaces['plant'],
          message: 'Offered by the workspace lab',
        },
      ],
    });
  });

  it('returns 404 for unknown images and workspaces, with the same error for any account', async () => {
    const unknown = await share({ targetWorkspace: 'nowhere' });
    const mismatched = await share({ targetAccount: 'stranger' });
    expect(unknown).toMatchObject({ __typename: 'NotFoundError', code: 'not_found' });
    expect(mismatched).toMatchObject({ __typename: 'NotFoundError', code: 'not_found' });
    expect(await share({ targetAccount: null })).toMatchObject({ code: 'not_found' });
    expect(await share({ name: 'no-such' })).toMatchObject({ code: 'not_found' });
    expect(await share({ workspace: 'plant' })).toMatchObject({ code: 'forbidden' });
    expect(problemsOf(await share({ targetAccount: null, targetWorkspace: 'lab' }))).toEqual([
      'targetWorkspace invalid_value',
    ]);
    expect(await offered()).toEqual([]);
  });

  it('is rejected while an earlier share is pending, and while the accepted image exists', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => share()));
    const made = answers.filter(({ __typename }) => __typename === 'ShareImagePayload');
    expect(made).toHaveLength(1);
    expect(new Set(answers.filter((each) => !made.includes(each)).map(({ code }) => code))).toEqual(
      new Set(['already_shared']),
    );
    await decide('accept', made[0].imageShare.id, takersKey);
    expect(await share()).toMatchObject({ code: 'already_shared' });
    await mutate(running.app, takersKey, 'deleteImage', '__typename', { ...image(), workspace: 'plant' });
    expect((await share()).__typename).toBe('ShareImagePayload');
  });

  it('changes nothing in a dry run', async () => {
    expect((await share({ validateOnly: true })).imageShare.status).toBe('PENDING');
    expect(await offered()).toEqual([]);
    expect(await histories()).toEqual({ giver: [], taker: [] });
  });
});

describe('acceptImageShare', () => {
  it('copies the present image into the target workspace, which then owns it', async () => {
    const { imageShare } = await share();
    await push('v2', 7);
    const accepted = await mutate(
      running.app,
      takersKey,
      'acceptImageShare',
      `${shareFields} image { metadata { name workspaceName sourceWorkspaceName events { type } } spec { size tags { nodes { name } } } }`,
      { id: imageShare.id },
    );
    expect(accepted).toMatchObject({
      imageShare: { status: 'ACCEPTED', version: 2, metadata: { decidedBy: takers, workspaceName: 'plant' } },
      image: {
        metadata: { name: imageName, workspaceName: 'plant', sourceWorkspaceName: 'lab', events: [{ type: 'share' }] },
      },
    });
    expect(accepted.image.spec.size).toBe(12);
    expect(accepted.image.spec.tags.nodes.map(({ name }: { name: string }) => name).toSorted()).toEqual(['v1', 'v2']);
    await push('v3', 9);
    await mutate(running.app, giversKey, 'deleteImage', '__typename', image());
    const query = `{ image(resourceType: JOBS, name: "${imageName}", workspace: "plant") { spec { size } } }`;
    expect(await ask(takersKey, query)).toEqual({ image: { spec: { size: 12 } } });
    expect(await pending()).toEqual([]);
  });

  it('tells the source workspace that it was accepted, and not by whom', async () => {
    const { imageShare } = await share();
    await decide('accept', imageShare.id, takersKey);
    const [seen] = await offered();
    expect(seen).toMatchObject({
      status: 'ACCEPTED',
      metadata: { updatedBy: null, decidedBy: null, createdBy: givers },
      events: [{ type: 'offer' }, { type: 'accept', message: 'Accepted by the workspace plant' }],
    });
    expect(seen.metadata.decidedAt).not.toBeNull();
    const { giver: told, taker: own } = await histories();
    expect(own.at(-1)).toMatchObject({ verb: 'accepted', actorName: takers, version: 2 });
    expect(told.at(-1)).toMatchObject({ verb: 'accepted', actorName: null, version: 2 });
    expect(told.map(({ before, after, message }) => JSON.stringify([before, after, message])).join()).not.toContain(
      takers,
    );
  });

  it('is rejected if the image was deleted or its name is in use, and then changes nothing', async () => {
    const { imageShare } = await share();
    const own = { workspace: 'plant', resourceType: 'JOBS', imageName, tag: { name: 'own', size: 1 } };
    await mutate(running.app, takersKey, 'registerImageTag', '__typename', own);
    expect(await decide('accept', imageShare.id, takersKey)).toMatchObject({
      code: 'name_taken',
      message: `The workspace already has an image named "${imageName}" of this type. Delete that image, or decline the share.`,
    });
    expect(await pending()).toHaveLength(1);
    await mutate(running.app, takersKey, 'deleteImage', '__typename', { ...image(), workspace: 'plant' });
    await running.app.services.db.image.deleteMany({ where: { name: imageName } });
    expect(await decide('accept', imageShare.id, takersKey)).toMatchObject({
      __typename: 'ConflictError',
      code: 'conflict',
    });
    expect(await pending()).toHaveLength(1);
  });

  it('during the deletion of the workspace is applied before it, or returns 404', async () => {
    for (let round = 0; round < 6; round++) {
      const name = `lab-${round}`;
      await mutate(running.app, giversKey, 'createWorkspace', '__typename', { metadata: { name } });
      const pushed = { workspace: name, resourceType: 'JOBS', imageName: `${imageName}-${round}` };
      await mutate(running.app, giversKey, 'registerImageTag', '__typename', {
        ...pushed,
        tag: { name: 'v1', size: 5 },
      });
      const own = { workspace: name, name: pushed.imageName };
      const { imageShare } = await share(own);
      const [ended, accepted] = await Promise.all([
        mutate(running.app, giversKey, 'deleteWorkspace', '__typename', { name, force: true }),
        decide('accept', imageShare.id, takersKey),
      ]);
      expect(ended.__typename).toBe('DeleteWorkspacePayload');
      const images = await running.app.services.db.image.count({ where: { name: own.name } });
      expect([accepted.code, images]).toEqual(accepted.code === undefined ? [undefined, 1] : ['not_found', 0]);
      expect(await decide('accept', imageShare.id, takersKey)).toMatchObject({ code: 'not_found' });
    }
  });

  it('is applied once for concurrent callers, and changes nothing in a dry run', async () => {
    const { imageShare } = await share();
    const tried = await decide('accept', imageShare.id, takersKey, { validateOnly: true });
    expect(tried.imageShare.status).toBe('ACCEPTED');
    expect(await pending()).toHaveLength(1);
    const words = ['accept', 'decline', 'accept', 'decline', 'accept'] as const;
    const answers = await Promise.all(words.map((word) => decide(word, imageShare.id, takersKey)));
    const refused = answers.filter(({ code }) => code !== undefined);
    expect(refused.map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'share_not_pending'));
  });
});

describe('revokeImageShare', () => {
  it('withdraws a share, which then no longer exists for the other side', async () => {
    const { imageShare } = await share();
    const revoked = await decide('revoke', imageShare.id, giversKey);
    expect(revoked.imageShare).toMatchObject({ status: 'REVOKED', version: 2, metadata: { updatedBy: givers } });
    expect(await pending()).toEqual([]);
    const node = '{ node(id: "ID") { ... on ImageShare { status metadata { createdBy updatedBy } } } }';
    const { body } = await graphql(running.app, takersKey, node.replace('ID', imageShare.id));
    expect(body.data.node).toEqual({ status: 'REVOKED', metadata: { createdBy: givers, updatedBy: null } });
    expect(await decide('accept', imageShare.id, takersKey)).toMatchObject({ code: 'share_not_pending' });
    expect(await offered()).toMatchObject([{ status: 'REVOKED', metadata: { createdBy: givers, updatedBy: givers } }]);
    expect((await histories()).taker.at(-1)).toMatchObject({ verb: 'revoked', actorName: null });
    expect((await share()).__typename).toBe('ShareImagePayload');
  });

  it('is rejected for a decided share, and for an outdated version', async () => {
    const { imageShare } = await share();
    expect(await decide('revoke', imageShare.id, giversKey, { ifVersion: 7 })).toMatchObject({
      code: 'version_mismatch',
    });
    await decide('decline', imageShare.id, takersKey);
    expect(await decide('revoke', imageShare.id, giversKey)).toMatchObject({ code: 'share_not_pending' });
    const late = await decide('decline', imageShare.id, takersKey, { ifVersion: 1 });
    expect(late).toMatchObject({ code: 'version_mismatch', currentVersion: 2 });
  });
});

describe('A share', () => {
  it('can be decided by its target only, revoked by its source only, and is invisible to others', async () => {
    const { imageShare } = await share();
    const { id } = imageShare;
    for (const [word, by] of [
      ['accept', giversKey],
      ['decline', giversKey],
      ['revoke', takersKey],
      ['accept', strangersKey],
      ['decline', strangersKey],
      ['revoke', strangersKey],
    ] as const) {
      expect(await decide(word, id, by)).toMatchObject({ __typename: 'NotFoundError', code: 'not_found' });
    }
    const node = `{ node(id: "${id}") { ... on ImageShare { status } } }`;
    expect(await ask(takersKey, node)).toEqual({ node: { status: 'PENDING' } });
    expect(await ask(giversKey, node)).toEqual({ node: { status: 'PENDING' } });
    expect(await ask(strangersKey, node)).toEqual({ node: null });
    expect(await pending()).toHaveLength(1);
  });

  it('requires an admin of the workspace, on either side', async () => {
    const { app } = running;
    const giversMember = await keyOfSomebody(app, giver, { account: 'member', workspace: 'lab', role: 'member' });
    const takersMember = await keyOfSomebody(app, taker, { account: 'member', workspace: 'plant', role: 'member' });
    const takersAdmin = await keyOfSomebody(app, taker, { account: 'member', workspace: 'plant', role: 'admin' });
    expect(await share({}, giversMember)).toMatchObject({ code: 'forbidden' });
    const { imageShare } = await share();
    expect(await decide('revoke', imageShare.id, giversMember)).toMatchObject({ code: 'forbidden' });
    expect(await decide('accept', imageShare.id, takersMember)).toMatchObject({ code: 'forbidden' });
    expect(await decide('decline', imageShare.id, takersMember)).toMatchObject({ code: 'forbidden' });
    expect((await decide('accept', imageShare.id, takersAdmin)).imageShare.status).toBe('ACCEPTED');
  });

  it('between two workspaces of one account is recorded once', async () => {
    const { imageShare } = await share({ targetAccount: null, targetWorkspace: 'annex' });
    await decide('accept', imageShare.id, giversKey);
    expect((await histories()).giver.map(({ verb }) => verb)).toEqual(['shared', 'accepted']);
  });

  it('is decided by many concurrently in both directions, without a deadlock', async () => {
    const offers = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const name = `${imageName}-${index}`;
        const of = { workspace: 'lab', resourceType: 'JOBS' };
        const back = { workspace: 'plant', resourceType: 'AGENTS' };
        const pushed = { imageName: name, tag: { name: 'v1', size: 1 } };
        await mutate(running.app, giversKey, 'registerImageTag', '__typename', { ...of, ...pushed });
        await mutate(running.app, takersKey, 'registerImageTag', '__typename', { ...back, ...pushed });
        const given = await share({ ...of, name });
        const returned = await share({ ...back, name, targetAccount: 'giver', targetWorkspace: 'lab' }, takersKey);
        return [
          { id: given.imageShare.id, by: takersKey },
          { id: returned.imageShare.id, by: giversKey },
        ];
      }),
    );
    const words = ['accept', 'decline'] as const;
    const answers = await Promise.all(
      offers.flat().flatMap(({ id, by }) => words.map(async (word) => (await decide(word, id, by)).code)),
    );
    expect(answers.toSorted()).toEqual([
      ...Array.from({ length: 12 }, () => 'share_not_pending'),
      ...Array.from({ length: 12 }, () => undefined),
    ]);
    for (const { accountId } of [giver, taker]) {
      const { db } = running.app.services;
      const told = await db.change.findMany({ where: { accountId }, select: { sequence: true } });
      const { last } = await db.changeHead.findUniqueOrThrow({ where: { accountId } });
      expect(told).toHaveLength(Number(last));
    }
  });

  it('returns the stored response for an Idempotency-Key, also after the decision', async () => {
    for (const [word, by] of [
      ['decline', takersKey],
      ['revoke', giversKey],
    ] as const) {
      const { imageShare } = await share();
      const query = `mutation { ${word}ImageShare(input: { id: "${imageShare.id}" }) { __typename ... on Error { code }
        ... on ${word === 'decline' ? 'Decline' : 'Revoke'}ImageSharePayload { ${shareFields} } } }`;
      const headers = { 'idempotency-key': `${word} ${imageName}` };
      const answers = await Promise.all(Array.from({ length: 12 }, () => graphql(running.app, by, query, {}, headers)));
      const first = answers.filter(({ status }) => status === 200);
      const again = await graphql(running.app, by, query, {}, headers);
      expect(again.body.data[`${word}ImageShare`].imageShare).toMatchObject({ id: imageShare.id, version: 2 });
      for (const { body } of first) expect(body.data).toEqual(again.body.data);
    }
  });

  it('is accepted once with an Idempotency-Key, with the same response again', async () => {
    const { imageShare } = await share();
    const query = `mutation { acceptImageShare(input: { id: "${imageShare.id}" }) { __typename
      ... on AcceptImageSharePayload { image { id spec { size } } imageShare { id status version } } } }`;
    const headers = { 'idempotency-key': `accept ${imageName}` };
    const first = await graphql(running.app, takersKey, query, {}, headers);
    expect(first.body.data.acceptImageShare.__typename).toBe('AcceptImageSharePayload');
    expect((await graphql(running.app, takersKey, query, {}, headers)).body.data).toEqual(first.body.data);
  });
});
