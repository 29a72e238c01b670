// The rules of changes as a simple model in memory: the state after a sequence of changes, their responses, and the
// change log. changes.property.test.ts compares the service with it.

import type { Content, Kind, Place, Step } from './change-steps.js';

export interface Kept {
  /** As callers know it; the model learns it from the answer. */
  id: string;
  name: string;
  version: number;
  displayName: string | null;
  enabled: boolean;
  region: string | null;
  volume: string | null;
  /** Previews of a sandbox. */
  previews: Map<string, { id: string; version: number }>;
  /** Executions of a job, the oldest first. */
  executions: { id: string; version: number; status: 'QUEUED' | 'CANCELLED' }[];
}

export type Outcome =
  | { refused: string; problems?: string[] }
  /** The returned version, and the id. */
  | { version: number; learn?: (id: string) => void; records: string[] };

export const openRegions = ['eu-open', 'eu-egress'];

type Workspace = Record<Kind, Map<string, Kept>>;

export class Model {
  readonly workspaces: Record<Place, Workspace> = { one: emptyWorkspace(), other: emptyWorkspace() };
  /** The deleted resources. */
  readonly gone: string[] = [];

  /** The response to a step; the model is updated. */
  take(step: Step): Outcome {
    switch (step.does) {
      case 'create':
        return this.#create(step, step.kind, step.content);
      case 'update':
        return this.#update(step, step.kind, step.content);
      case 'delete':
        return this.#delete(step, step.kind);
      case 'createPreview':
        return this.#createPreview(step, step.preview);
      case 'deletePreview':
        return this.#deletePreview(step, step.preview);
      case 'run':
        return this.#run(step);
      case 'cancel':
        return this.#cancel(step, step.which);
      case 'deleteExecution':
        return this.#deleteExecution(step, step.which);
    }
  }

  /** The version of a step's resource, if it exists. */
  versionOf(step: Step): number | undefined {
    if ('kind' in step) return this.workspaces[step.place][step.kind].get(step.name)?.version;
    if ('preview' in step) return this.#sandbox(step)?.previews.get(step.preview)?.version;
    if ('which' in step) return this.#job(step)?.executions.at(step.which)?.version;
    return undefined;
  }

  #create(step: Step, kind: Kind, content: Content): Outcome {
    const { place, name } = step;
    const made: Kept = {
      id: '',
      name,
      version: 1,
      displayName: content.displayName ?? null,
      enabled: content.enabled ?? true,
      region: content.region ?? null,
      volume: content.volume ?? null,
      previews: new Map(),
      executions: [],
    };
    const refusal = this.#broken(place, made, undefined);
    if (refusal !== undefined) return refusal;
    const all = this.workspaces[place][kind];
    if (all.has(name)) return { refused: 'name_taken' };
    if (step.validateOnly !== true) all.set(name, made);
    return { version: 1, learn: (id) => (made.id = id), records: [record(kind, 'CREATED', name, 1)] };
  }

  #update(step: Step, kind: Kind, content: Content): Outcome {
    const { place, name } = step;
    const all = this.workspaces[place][kind];
    const current = all.get(name);
    if (current === undefined) return { refused: 'not_found' };
    if (isOtherVersion(step)) return { refused: 'version_mismatch' };
    const given = Object.entries(content).filter(([, value]) => value !== undefined);
    const next: Kept = { ...current, ...Object.fromEntries(given), version: current.version + 1 };
    const refusal = this.#broken(place, next, current);
    if (refusal !== undefined) return refusal;
    const fields = [
      ...(next.displayName === current.displayName ? [] : ['metadata.displayName']),
      // Without an executor, a resource reaches its desired state immediately.
      ...(next.enabled === current.enabled ? [] : ['spec.enabled', 'status']),
      ...(next.region === current.region ? [] : ['spec.region']),
      ...(next.volume === current.volume ? [] : ['spec.volumes']),
    ];
    if (fields.length === 0) return { version: current.version, records: [] };
    if (step.validateOnly !== true) all.set(name, next);
    return { version: next.version, records: [record(kind, 'UPDATED', name, next.version, fields)] };
  }

  #delete(step: Step, kind: Kind): Outcome {
    const { place, name } = step;
    const all = this.workspaces[place][kind];
    const current = all.get(name);
    if (current === undefined) return { refused: 'not_found' };
    if (isOtherVersion(step)) return { refused: 'version_mismatch' };
    if (kind === 'VOLUME' && this.attachedTo(place, name).length > 0) return { refused: 'in_use' };
    const { id, version, previews, executions } = current;
    const records = [
      record(kind, 'DELETED', name, version),
      ...[...previews].map(([preview, each]) => record('SANDBOX_PREVIEW', 'DELETED', preview, each.version)),
      ...executions.map((each) => record('JOB_EXECUTION', 'DELETED', null, each.version)),
    ];
    if (step.validateOnly !== true) {
      all.delete(name);
      this.gone.push(id, ...[...previews.values(), ...executions].map((each) => each.id));
    }
    return { version, records };
  }

  #createPreview(step: Step, preview: string): Outcome {
    const sandbox = this.#sandbox(step);
    if (sandbox === undefined) return { refused: 'not_found' };
    if (sandbox.previews.has(preview)) return { refused: 'name_taken' };
    const made = { id: '', version: 1 };
    if (step.validateOnly !== true) sandbox.previews.set(preview, made);
    return {
      version: 1,
      learn: (id) => (made.id = id),
      records: [record('SANDBOX_PREVIEW', 'CREATED', preview, 1)],
    };
  }

  #deletePreview(step: Step, preview: string): Outcome {
    const sandbox = this.#sandbox(step);
    const current = sandbox?.previews.get(preview);
    if (sandbox === undefined || current === undefined) return { refused: 'not_found' };
    if (isOtherVersion(step)) return { refused: 'version_mismatch' };
    if (step.validateOnly !== true) {
      sandbox.previews.delete(preview);
      this.gone.push(current.id);
    }
    return { version: current.version, records: [record('SANDBOX_PREVIEW', 'DELETED', preview, current.version)] };
  }

  #run(step: Step): Outcome {
    const job = this.#job(step);
    if (job === undefined) return { refused: 'not_found' };
    if (!job.enabled) return { refused: 'conflict' };
    const made = { id: '', version: 1, status: 'QUEUED' } as const;
    const execution: Kept['executions'][number] = { ...made };
    if (step.validateOnly !== true) job.executions.push(execution);
    return {
      version: 1,
      learn: (id) => (execution.id = id),
      records: [record('JOB_EXECUTION', 'CREATED', null, 1)],
    };
  }

  #cancel(step: Step, which: number): Outcome {
    const execution = this.#job(step)?.executions.at(which);
    if (execution === undefined) return { refused: 'not_found' };
    if (isOtherVersion(step)) return { refused: 'version_mismatch' };
    if (execution.status === 'CANCELLED') return { version: execution.version, records: [] };
    const version = execution.version + 1;
    if (step.validateOnly !== true) Object.assign(execution, { status: 'CANCELLED', version });
    const fields = ['metadata.completedAt', 'stats.cancelled', 'status', 'tasks'];
    return { version, records: [record('JOB_EXECUTION', 'CANCELLED', null, version, fields)] };
  }

  #deleteExecution(step: Step, which: number): Outcome {
    const job = this.#job(step);
    const execution = job?.executions.at(which);
    if (job === undefined || execution === undefined) return { refused: 'not_found' };
    if (isOtherVersion(step)) return { refused: 'version_mismatch' };
    if (execution.status === 'QUEUED') return { refused: 'not_deletable' };
    if (step.validateOnly !== true) {
      job.executions.splice(job.executions.indexOf(execution), 1);
      this.gone.push(execution.id);
    }
    return { version: execution.version, records: [record('JOB_EXECUTION', 'DELETED', null, execution.version)] };
  }

  /** The workloads of a workspace that have a volume attached. */
  attachedTo(place: Place, volume: string): string[] {
    const { AGENT, SANDBOX } = this.workspaces[place];
    return [...AGENT.values(), ...SANDBOX.values()].flatMap((each) => (each.volume === volume ? [each.name] : []));
  }

  /** All rules that a resource violates, except those that its previous state already violated. */
  #broken(place: Place, next: Kept, before: Kept | undefined): Outcome | undefined {
    const problems: string[] = [];
    if (!/^[a-z0-9]([a-z0-9-]{0,47}[a-z0-9])?$/.test(next.name)) problems.push('metadata.name invalid_format');
    if ((next.displayName ?? '').length > 63) problems.push('metadata.displayName too_long');
    if (next.volume !== null && next.region === null) problems.push('spec.region required');
    const isMoved = next.region !== (before?.region ?? null);
    if (isMoved && next.region !== null && !openRegions.includes(next.region)) {
      problems.push('spec.region not_available');
    }
    if (next.volume !== null && next.region !== null && (isMoved || next.volume !== before?.volume)) {
      const volume = this.workspaces[place].VOLUME.get(next.volume);
      if (volume?.region !== next.region) problems.push('spec.volumes.0.name not_available');
    }
    return problems.length > 0 ? { refused: 'invalid_input', problems } : undefined;
  }

  #sandbox({ place, name }: Step): Kept | undefined {
    return this.workspaces[place].SANDBOX.get(name);
  }

  #job({ place, name }: Step): Kept | undefined {
    return this.workspaces[place].JOB.get(name);
  }
}

function emptyWorkspace(): Workspace {
  return { AGENT: new Map(), SANDBOX: new Map(), VOLUME: new Map(), JOB: new Map() };
}

function isOtherVersion({ ifVersionOff }: Step): boolean {
  return ifVersionOff !== undefined && ifVersionOff !== 0;
}

/** A record of the history in a line. */
export function record(
  kind: string,
  verb: string,
  name: string | null,
  version: number,
  fields: string[] = [],
): string {
  return [kind, verb, name ?? '-', version, ...fields.toSorted()].join(' ');
}
