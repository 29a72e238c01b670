// The past of a resource: from its present state back to its creation, as the change log records it. The records have the
// same form as those of requests and reports (store/write/change.ts, lifecycle/report.ts). Calls of the API functions in their
// place need four times the processor time (43 instead of 10 s, measured on a busy machine), for which users would wait at the
// first start. So test/demo/replay.slow.test.ts makes these calls, and compares every record.
import type { ChangeRow } from '../changes/change-rows.js';
import { fieldsChanged } from '../changes/fields-changed.js';
import { changeRowBy } from '../changes/record-changes.js';
import { deploymentWork } from '../lifecycle/deployment-states.js';
import { statusRow } from '../lifecycle/record-status.js';
import { eventBy } from '../changes/record-changes.js';
import { deployerAt, reportAt, requestBy } from './actors.js';
import { deactivation, editsByKind } from './edits.js';
import type { Edit, Shown } from './edits.js';
import { createRandom } from './random.js';
import type { Random } from './random.js';
import { dayMs, isAtWork, minuteMs, updatedBetween } from './times.js';

export type DemoKind = keyof typeof editsByKind;

export interface DemoResource {
  kind: DemoKind;
  id: string;
  name: string;
  workspace: string;
  workspaceId: string;
  /** Its present public form. Its metadata has the times and the actors of the creation and of the last update. */
  shown: Shown;
  /** The message of its present status. */
  message: string | undefined;
  /** Fields that the data plane fills in when it has created the resource, such as an address. */
  filledIn?: string;
  /** Edits that are part of a story, oldest first. */
  told?: readonly { at: Date; by: string; edit: Edit }[];
  /** Deleted by this actor, if it no longer exists. */
  deleted?: { at: Date; by: string };
}

export interface Past {
  /** The version of the resource after all changes. */
  version: number;
  changes: ChangeRow[];
}

export interface WorkspaceHistory {
  /** The version of each resource, by id. */
  versions: ReadonlyMap<string, number>;
  changes: ChangeRow[];
}

interface Update {
  at: Date;
  by: string;
  edit?: Edit;
}

/** An update with the resource before and after it. */
interface Edited extends Update {
  before: Shown;
  after: Shown;
}

/** The past of a resource. The same arguments return the same past. @param end everything is older */
export function pastOf(resource: DemoResource, end: Date): Past {
  const random = createRandom(`${resource.id} past`);
  const edited = editedStates(resource, random);
  const story = new Story(resource, end);
  story.create(edited[0]?.before ?? resource.shown);
  for (const [index, each] of edited.entries()) {
    const next = edited[index + 1];
    // Only another deployment ends a failure, and nobody leaves one for long.
    const isFixed = next !== undefined && changesSpec(next) && next.at.getTime() - each.at.getTime() < dayMs;
    const isFailing = random.percent(50) && isFixed;
    story.update(each, next === undefined ? undefined : isFailing ? 'FAILED' : 'DEPLOYED');
  }
  if (edited.length === 0) story.finish(story.createdAt);
  story.remove();
  return { version: story.version, changes: story.changes };
}

function changesSpec({ before, after }: Edited): boolean {
  return fieldsChanged({ spec: before.spec }, { spec: after.spec }).length > 0;
}

/** The updates of a resource, oldest first, with the states before and after. */
function editedStates(resource: DemoResource, random: Random): Edited[] {
  const updates = updatesOf(resource, random);
  const edited: Edited[] = [];
  let state = resource.shown;
  for (const [index, update] of updates.toReversed().entries()) {
    const before = beforeEdit(resource, update, state, index === 0, random);
    // The resource cannot have been edited any more.
    if (before === undefined) break;
    edited.unshift({ ...update, before, after: state });
    state = before;
  }
  return edited;
}

function updatesOf({ kind, shown, told = [] }: DemoResource, random: Random): Update[] {
  const { createdAt, updatedAt, updatedBy, workspace } = shown.metadata;
  const [from, to] = [new Date(String(createdAt)), new Date(String(updatedAt))];
  if (to.getTime() === from.getTime()) return [];
  const count = random.below(editsByKind[kind].max);
  const earlier = Array.from({ length: count }, (): Update => {
    const at = updatedBetween(random, from, to);
    return { at, by: deployerAt(random, String(workspace), at) };
  });
  const inStory = told.filter(({ at }) => at > from && at < to);
  const last = told.find(({ at }) => at.getTime() === to.getTime());
  const all = [...earlier, ...inStory].toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const apart = all.filter(({ at }, index) => {
    const previous = all[index - 1]?.at ?? from;
    return at.getTime() - previous.getTime() >= apartMs && to.getTime() - at.getTime() >= apartMs;
  });
  return [...apart, last ?? { at: to, by: String(updatedBy) }];
}

/** Two updates of a resource are at least so far apart that the first is deployed. */
const apartMs = 12 * minuteMs;

/** States after an update of the spec, and after nothing else. */
const afterSpec = new Set(['UPLOADING', 'BUILDING', 'BUILT', 'DEPLOYING', 'FAILED']);

function beforeEdit(
  { kind }: DemoResource,
  { edit, by, at }: Update,
  state: Shown,
  isLast: boolean,
  random: Random,
): Shown | undefined {
  if (edit !== undefined) return edit(state, random);
  const disabled = isLast ? deactivation(state, random) : undefined;
  if (disabled !== undefined) return disabled;
  const { byProgram, byPeople, ofSpec } = editsByKind[kind];
  const isPerson = by.includes('@') && isAtWork(at);
  const usual: readonly Edit[] =
    isLast && afterSpec.has(state.status ?? '')
      ? ofSpec
      : isPerson
        ? [...turned(byPeople, random), ...byProgram]
        : [...byProgram, ...turned(byPeople, random)];
  for (const each of usual) {
    const before = each(state, random);
    if (before !== undefined) return before;
  }
  return undefined;
}

/** The same items, starting with a random one. */
function turned<Item>(items: readonly Item[], random: Random): Item[] {
  const first = random.below(Math.max(1, items.length));
  return [...items.slice(first), ...items.slice(0, first)];
}

/** Writes down the changes of one resource, in the order of time. */
class Story {
  readonly changes: ChangeRow[] = [];
  version = 0;
  private last: Shown | undefined;

  constructor(
    private readonly resource: DemoResource,
    private readonly end: Date,
  ) {}

  get createdAt(): Date {
    return new Date(String(this.resource.shown.metadata['createdAt']));
  }

  private get hasStatus(): boolean {
    return this.resource.shown.status !== undefined;
  }

  create(shown: Shown): void {
    const { createdAt, createdBy } = this.resource.shown.metadata;
    const begun = this.withStatus(this.withUpdate(shown, String(createdAt), String(createdBy)), 'UPLOADING');
    const after = withoutField(begun, this.resource.filledIn);
    this.record('created', this.createdAt, String(createdBy), undefined, after);
    // The last state follows the last update.
    if (shown !== this.resource.shown) this.deploy(this.createdAt, 'DEPLOYED', undefined);
  }

  /** @param outcome the status that it leads to; undefined for the present one */
  update(edited: Edited, outcome: string | undefined): void {
    const { at, by, after } = edited;
    const isDeployed = changesSpec(edited);
    const isOff = after.spec?.['enabled'] === false;
    const begins = deploymentWork[isOff ? 'deactivate' : 'deploy'].begins;
    const dated = this.withUpdate(after, at.toISOString(), by);
    this.record('updated', at, by, this.last, this.withStatus(dated, isDeployed ? begins : this.last?.status));
    if (outcome === undefined) this.finish(at, isDeployed);
    else if (isDeployed) this.deploy(at, outcome, outcome === 'FAILED' ? failure : undefined);
  }

  /** The reports that lead to the present status. */
  finish(since: Date, isDeployed = true): void {
    const { shown, message, deleted } = this.resource;
    const status = shown.status ?? 'DEPLOYED';
    if (!isDeployed) return;
    if (deleted !== undefined || status === 'DELETING') this.deploy(since, 'DEPLOYED', undefined);
    else this.deploy(since, status, message);
  }

  /** The deletion, if the resource is being deleted or no longer exists. */
  remove(): void {
    const { id, shown, deleted } = this.resource;
    if (deleted === undefined && shown.status !== 'DELETING') return;
    const at = deleted?.at ?? new Date(this.end.getTime() - 3 * minuteMs);
    const by = deleted?.by ?? String(shown.metadata['updatedBy']);
    const { workspaceId, kind, name } = this.resource;
    const begun = {
      kind,
      verb: 'status',
      resourceId: id,
      name,
      version: this.version,
      before: this.last,
      after: { ...this.last, status: 'DELETING' },
      event: { ...eventBy('deleted', by), status: 'DELETING' },
    } as const;
    this.changes.push(changeRowBy(requestBy(by, at, `${id} deletion`), workspaceId, begun));
    if (deleted === undefined) return;
    this.changes.push(this.reported(new Date(at.getTime() + minuteMs), 'TERMINATED', undefined, 'deleted'));
  }

  private record(verb: 'created' | 'updated', at: Date, by: string, before: Shown | undefined, after: Shown): void {
    const { id, kind, name, workspaceId } = this.resource;
    this.version += 1;
    // The times and the actor of an update are in the record itself.
    const compared = (shown: Shown) => {
      const { updatedAt: _at, updatedBy: _by, ...metadata } = shown.metadata;
      return { metadata, spec: shown.spec, status: shown.status };
    };
    const change = {
      kind,
      verb,
      resourceId: id,
      name,
      version: this.version,
      before,
      after,
      ...(before === undefined ? {} : { fields: fieldsChanged(compared(before), compared(after)) }),
      event: eventBy(verb, by),
    };
    this.changes.push(changeRowBy(requestBy(by, at, `${id} ${this.version}`), workspaceId, change));
    this.last = after;
  }

  /** The reports of a deployment, or of a deactivation. */
  private deploy(since: Date, outcome: string, message: string | undefined): void {
    const { kind, filledIn } = this.resource;
    const isOff = outcome === 'DEACTIVATED' || outcome === 'DEACTIVATING';
    const course: readonly string[] = isOff
      ? ['DEACTIVATING', 'DEACTIVATED']
      : built.has(kind)
        ? ['UPLOADING', 'BUILDING', 'BUILT', 'DEPLOYING', 'DEPLOYED']
        : ['DEPLOYING', 'DEPLOYED'];
    const before = outcome === 'FAILED' ? course.slice(0, -1) : course.slice(0, course.indexOf(outcome));
    // The first state is that of the update. Only the newest deployments are reported in all their steps.
    const isNew = this.resource.shown.metadata['updatedAt'] === since.toISOString();
    const steps = isNew && this.hasStatus ? before.filter((step) => step !== this.last?.status) : [];
    for (const [index, step] of steps.entries()) this.report(this.later(since, index + 1), step, undefined);
    if (outcome !== this.last?.status) {
      this.report(this.later(since, steps.length + 1), outcome, message, filledIn);
    }
  }

  private report(at: Date, status: string, message: string | undefined, filledIn?: string): void {
    this.changes.push(this.reported(at, status, message, 'status', filledIn));
    if (this.last !== undefined && this.hasStatus) this.last = { ...this.last, status };
  }

  private reported(
    at: Date,
    status: string,
    message: string | undefined,
    verb: 'status' | 'deleted',
    filledIn?: string,
  ): ChangeRow {
    const { id, kind, name, workspaceId } = this.resource;
    return statusRow(reportAt(at, `${id} ${this.version} ${status}`), {
      accountId: '',
      workspaceId,
      kind,
      resourceId: id,
      name,
      version: this.version,
      verb,
      fields: [...(this.hasStatus ? ['status'] : []), ...(filledIn === undefined ? [] : [filledIn])],
      event: {
        type: verb === 'deleted' ? 'deletion' : 'deployment',
        status,
        message: message ?? messageOf(kind, status),
        revision: this.revision,
      },
    });
  }

  /** The revision that is deployed, of the kinds that have an image. */
  private get revision(): string | undefined {
    const runtime: unknown = this.last?.spec?.['runtime'];
    const image: unknown = typeof runtime === 'object' && runtime !== null ? Reflect.get(runtime, 'image') : undefined;
    return /:(r\d+)$/.exec(String(image))?.[1];
  }

  private withStatus(shown: Shown, status: string | undefined): Shown {
    return this.hasStatus && status !== undefined ? { ...shown, status } : shown;
  }

  private withUpdate(shown: Shown, updatedAt: string, updatedBy: string): Shown {
    return { ...shown, metadata: { ...shown.metadata, updatedAt, updatedBy } };
  }

  /** Some minutes later, but not after the end. */
  private later(since: Date, minutes: number): Date {
    return new Date(Math.min(since.getTime() + minutes * minuteMs, this.end.getTime() - 1));
  }
}

/** A field of a spec, such as `spec.url`. */
function withoutField({ spec = {}, ...shown }: Shown, field: string | undefined): Shown {
  if (field === undefined) return { ...shown, spec };
  const { [field.slice('spec.'.length)]: _, ...rest } = spec;
  return { ...shown, spec: rest };
}

const failure = 'Readiness probe failed: connection refused on port 8080';

/** The kinds that have an image. */
const built: ReadonlySet<DemoKind> = new Set(['AGENT', 'SANDBOX', 'JOB']);

/** The messages of the data plane. */
const messages: Readonly<Record<string, string>> = {
  BUILDING: 'Building the image',
  BUILT: 'Image built and pushed',
  DEPLOYING: 'Rolling out',
  DEACTIVATED: 'Drained and stopped',
  TERMINATED: 'Taken down',
};

function messageOf(kind: DemoKind, status: string): string {
  if (status === 'DEPLOYED') return built.has(kind) ? 'All instances are ready' : 'Ready for use';
  if (status === 'DEPLOYING' && !built.has(kind)) return 'Being provisioned';
  return messages[status] ?? status;
}
