// Images and their tags, as a registry reports them and as they are removed. An image is held while its tags change, so
// that its size is that of all of them.
import { z } from 'zod';
import { authorizeWorkspace, requireChanger } from '../../access/authorize.js';
import type { AuthorizedWorkspace } from '../../access/authorize.js';
import type { RequestContext } from '../../access/context.js';
import { recordChanges } from '../../changes/record-changes.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import { notFound } from '../../errors.js';
import { concluded } from '../../kind/concluded.js';
import { Whole } from '../../kind/found.js';
import { heldRow, heldRowAnd } from '../../kind/held-row.js';
import { requireVersion } from '../../kind/require-version.js';
import { canBeName, resourceName, searchDocument } from '../../kind/resource.js';
import { newResourceId } from '../../kind/resource-id.js';
import { rowTimestamp, withEvent } from '../../kind/resource-row.js';
import { readInput } from '../../kind/shape-value.js';
import { unused } from '../../kind/unused.js';
import { writeChange } from '../../kind/write-change.js';
import { deletion } from '../../kind/write-row.js';
import { imageKind, recordedImage } from './image.js';
import type { ImageResourceType, ImageRow } from './image.js';
import { imageTagKind, pushedTag, tagFromRow } from './image-tag.js';
import type { VersionedTagRow } from './image-tag.js';

/** Which image, and whether only to say what would be. */
export interface ImageInput {
  workspace?: string | null | undefined;
  resourceType: ImageResourceType;
  imageName: string;
  validateOnly?: boolean | null | undefined;
}

export interface ImageAndTag {
  image: Whole<ImageRow>;
  tag: Whole<VersionedTagRow>;
}

const registration = z.object({ imageName: resourceName, tag: pushedTag });

/**
 * Notes that a tag was pushed: a new one, or one that leads to something else by now. The image is made when it is new.
 *
 * @throws 400 `invalid_input` with every rule that is broken; 403 without `admin` or out of reach.
 */
export async function registerImageTag(
  ctx: RequestContext,
  input: ImageInput & { tag: unknown },
): Promise<ImageAndTag> {
  const authorized = authorizeWorkspace(ctx, 'admin', input.workspace);
  requireChanger(authorized.workspace);
  const { imageName, tag: pushed } = readInput(registration, { imageName: input.imageName, tag: input.tag });
  return concluded(authorized, input.validateOnly, async (within) => {
    const isNew = await makeImage(within, input.resourceType, imageName);
    const held = await heldImage(within, input.resourceType, imageName);
    const known = await heldTag(within, held, pushed.name);
    const tag = await writeTag(within, held, pushed, known);
    const size = held.row.size + pushed.size - (known?.row.size ?? 0);
    const image = await writeSize(within, held, size, isNew ? 1 : held.row.version + 1);
    const by = within.caller.principal.name;
    const event = { type: 'push', status: 'BUILT', message: `Pushed by ${by}`, revision: pushed.name };
    const ofImage = imageChange(isNew ? 'created' : 'updated', image, isNew ? undefined : held, event);
    const ofTag = tagChange(known === undefined ? 'created' : 'updated', tag, known, event);
    await recordChanges(within, [ofImage, ofTag]);
    return { image: withRow(image, withEvent(image.row, ctx.now(), event)), tag };
  });
}

/**
 * Removes a tag of an image, which stays even without any.
 *
 * @returns the tag as it was, and the image as it is.
 * @throws 403; 404 for an unknown image or tag; 409 `version_mismatch`.
 */
export async function deleteImageTag(
  ctx: RequestContext,
  input: ImageInput & { name: string; ifVersion?: number | null | undefined },
): Promise<ImageAndTag> {
  const authorized = authorizeWorkspace(ctx, 'admin', input.workspace);
  requireChanger(authorized.workspace);
  return concluded(authorized, input.validateOnly, async (within) => {
    const held = await heldImage(within, input.resourceType, input.imageName);
    const tag = canBeName(input.name) ? await heldTag(within, held, input.name) : undefined;
    if (tag === undefined) throw notFound('tag', input.name);
    await requireVersion(within, 'tag', tag.row, input.ifVersion);
    await within.db.imageTag.delete({ where: { id: tag.id } });
    const image = await writeSize(within, held, held.row.size - tag.row.size, held.row.version + 1);
    const message = `Tag ${input.name} deleted by ${within.caller.principal.name}`;
    const ofImage = { type: 'update', status: 'UPDATED', message };
    const ofTag = { type: 'deletion', status: 'DELETED', message };
    await recordChanges(within, [
      imageChange('updated', image, held, ofImage),
      tagChange('deleted', tag, undefined, ofTag),
    ]);
    return { image: withRow(image, withEvent(image.row, ctx.now(), ofImage)), tag };
  });
}

/**
 * Removes an image with all its tags. What was accepted of it elsewhere stays there.
 *
 * @returns it as it was.
 * @throws 403; 404; 409 `version_mismatch`; 409 `in_use` while it is offered to other workspaces.
 */
export async function deleteImage(
  ctx: RequestContext,
  input: ImageInput & { ifVersion?: number | null | undefined },
): Promise<Whole<ImageRow>> {
  const authorized = authorizeWorkspace(ctx, 'admin', input.workspace);
  requireChanger(authorized.workspace);
  return concluded(authorized, input.validateOnly, async (within) => {
    const { resourceType, imageName: name } = input;
    const image = await heldImage(within, resourceType, name);
    await requireVersion(within, imageKind.noun, image.row, input.ifVersion);
    const offers = unused(within, { noun: imageKind.noun, name }, pendingOffers(within, resourceType, name));
    const event = { type: 'deletion', status: 'DELETED', message: `Deleted by ${within.caller.principal.name}` };
    const change = imageChange('deleted', image, undefined, event);
    const answer = withRow(image, withEvent(image.row, ctx.now(), event));
    const given = { demands: offers, answer: () => answer };
    await writeChange(within, deletion(imageKind.table, image.id), change, given);
    return answer;
  });
}

/**
 * An image of a workspace, held. The workspace is held before it, as whoever removes a workspace does: otherwise each would
 * wait for what the other holds.
 *
 * @throws 404; what the request's Once throws.
 */
export async function heldImage(
  within: AuthorizedWorkspace,
  resourceType: ImageResourceType,
  name: string,
): Promise<Whole<ImageRow>> {
  const condition = Prisma.sql`
    EXISTS (SELECT FROM "workspace" WHERE "id" = ${within.workspace.id}::uuid FOR KEY SHARE)
      AND r."resource_type" = ${resourceType}::image_resource_type AND r."name" = ${name}`;
  const noQuestion = Prisma.sql`false`;
  const held = canBeName(name)
    ? await heldRowAnd(within, imageKind, condition, noQuestion, within.ctx.once)
    : undefined;
  if (held === undefined) throw notFound(imageKind.noun, name);
  return held.resource;
}

/** @returns whether there was none. */
async function makeImage(within: AuthorizedWorkspace, type: ImageResourceType, name: string): Promise<boolean> {
  const now = within.ctx.now();
  const made = await within.db.$executeRaw`
    INSERT INTO "image" ("id", "workspace_id", "resource_type", "name", "size", "search", "created_at", "updated_at")
    SELECT ${newResourceId(within.ctx.now())}::uuid, w."id", ${type}::image_resource_type, ${name}, 0, ${searchDocument({ name })},
      ${now}::timestamptz, ${now}::timestamptz
    FROM "workspace" AS w WHERE w."id" = ${within.workspace.id}::uuid
    ON CONFLICT ("workspace_id", "resource_type", "name") DO NOTHING`;
  return made > 0;
}

function heldTag(
  within: AuthorizedWorkspace,
  image: Whole<ImageRow>,
  name: string,
): Promise<Whole<VersionedTagRow> | undefined> {
  return heldRow(within, imageTagKind, Prisma.sql`r."image_id" = ${image.id}::uuid AND r."name" = ${name}`);
}

async function writeTag(
  within: AuthorizedWorkspace,
  image: Whole<ImageRow>,
  { name, size }: z.output<typeof pushedTag>,
  known: Whole<VersionedTagRow> | undefined,
): Promise<Whole<VersionedTagRow>> {
  const now = within.ctx.now();
  const id = known?.id ?? newResourceId(within.ctx.now());
  const version = (known?.row.version ?? 0) + 1;
  const written = { size: BigInt(size), updatedAt: now, version };
  const place = { id, workspaceId: within.workspace.id, imageId: image.id, name, createdAt: now };
  await within.db.imageTag.upsert({
    where: { id },
    create: { ...place, ...written, search: searchDocument({ name }) },
    update: written,
  });
  const updatedAt = rowTimestamp(now);
  const createdAt = known?.row.createdAt ?? updatedAt;
  const row = { id, key: createdAt, name, size, version, createdAt, updatedAt };
  return new Whole<VersionedTagRow>(within.ctx, imageTagKind, within.workspace, row);
}

async function writeSize(
  within: AuthorizedWorkspace,
  image: Whole<ImageRow>,
  size: number,
  version: number,
): Promise<Whole<ImageRow>> {
  const updatedAt = within.ctx.now();
  await within.db.image.update({ where: { id: image.id }, data: { size: BigInt(size), version, updatedAt } });
  return withRow(image, { ...image.row, size, version, updatedAt: rowTimestamp(updatedAt) });
}

function withRow({ ctx, kind, workspace }: Whole<ImageRow>, row: Whole<ImageRow>['row']): Whole<ImageRow> {
  return new Whole<ImageRow>(ctx, kind, workspace, row);
}

/** SQL that selects whom an image is offered to, and who has not decided. */
function pendingOffers({ workspace }: AuthorizedWorkspace, type: ImageResourceType, name: string): Prisma.Sql {
  return Prisma.sql`
    SELECT 'IMAGE_SHARE' AS "kind", w."name" FROM "image_share" AS s JOIN "workspace" AS w ON w."id" = s."workspace_id"
    WHERE s."source_workspace_id" = ${workspace.id}::uuid AND s."resource_type" = ${type}::image_resource_type
      AND s."name" = ${name} AND s."status" = 'pending'`;
}

type Verb = 'created' | 'updated' | 'deleted';

function imageChange(
  verb: Verb,
  image: Whole<ImageRow>,
  before: Whole<ImageRow> | undefined,
  event: NewChange['event'],
): NewChange {
  const { name, version } = image.row;
  const records =
    verb === 'deleted'
      ? { before: recordedImage(image) }
      : { before: before && recordedImage(before), after: recordedImage(image) };
  return { kind: 'IMAGE', verb, resourceId: image.id, name, version, ...records, event };
}

function tagChange(
  verb: Verb,
  tag: Whole<VersionedTagRow>,
  before: Whole<VersionedTagRow> | undefined,
  event: NewChange['event'],
): NewChange {
  const { name, version } = tag.row;
  const records =
    verb === 'deleted'
      ? { before: tagFromRow(tag.row) }
      : { before: before && tagFromRow(before.row), after: tagFromRow(tag.row) };
  return { kind: 'IMAGE_TAG', verb, resourceId: tag.id, name, version, ...records, event };
}
