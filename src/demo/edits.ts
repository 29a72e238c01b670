// Edits of resources, backwards: each returns a resource as it was before somebody edited it.
import type { Random } from './random.js';

/** A resource in its public form, as change records contain it. */
export interface Shown {
  metadata: Record<string, unknown>;
  spec?: Record<string, unknown>;
  status?: string;
}

/** @returns the resource before the edit; undefined if it cannot have been edited like this. */
export type Edit = (shown: Shown, random: Random) => Shown | undefined;

/** A new revision of the image. */
const image: Edit = (shown) => {
  const runtime = objectAt(shown.spec, 'runtime');
  const revision = objectAt(shown.spec, 'revision');
  const [, base = '', number = ''] = /^(.*:r)(\d+)$/.exec(String(runtime['image'])) ?? [];
  if (Number(number) < 2) return undefined;
  const before = `r${Number(number) - 1}`;
  const isActive = revision['active'] === `r${number}`;
  const edited = withRuntime(shown, { image: `${base}${Number(number) - 1}` });
  return isActive ? withSpec(edited, { revision: { ...revision, active: before } }) : edited;
};

const maxScale = inRuntime('maxScale', (value) => ({ 10: 4, 20: 10, 40: 20, 100: 40 })[value]);

const stickySessions: Edit = (shown) => {
  const revision = objectAt(shown.spec, 'revision');
  const before = { 1800: 300, 300: 0 }[Number(revision['stickySessionTtl'])];
  return before === undefined ? undefined : withSpec(shown, { revision: { ...revision, stickySessionTtl: before } });
};

const policies: Edit = (shown) => {
  const names: unknown = shown.spec?.['policies'];
  if (!Array.isArray(names) || names.length < 2) return undefined;
  return withSpec(shown, { policies: names.slice(0, -1) });
};

/** Variables with the values that they had before. */
const formerValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  MODEL: {
    'large-2026-05': 'large-2026-02',
    'small-2026-09': 'small-2026-05',
    'vision-2026-02': 'vision-2025-11',
    'large-2026-02': 'large-2025-11',
    'small-2026-05': 'small-2026-02',
  },
  LOG_LEVEL: { debug: 'info', warn: 'info' },
  BATCH_SIZE: { 100: '50', 250: '100', 500: '250' },
};

const variable: Edit = (shown) => {
  const runtime = objectAt(shown.spec, 'runtime');
  const envs: { name: string; value?: string }[] = Array.isArray(runtime['envs']) ? runtime['envs'] : [];
  const edited = envs.findIndex(({ name, value = '' }) => formerValues[name]?.[value] !== undefined);
  if (edited < 0) return undefined;
  const before = envs.map((env, index) =>
    index === edited ? { ...env, value: formerValues[env.name]?.[env.value ?? ''] } : env,
  );
  return withRuntime(shown, { envs: before });
};

const tier: Edit = (shown) => {
  const labels = objectAt(shown.metadata, 'labels');
  const before = { gold: 'silver', silver: 'bronze' }[String(labels['tier'])];
  if (before === undefined) return undefined;
  return { ...shown, metadata: { ...shown.metadata, labels: { ...labels, tier: before } } };
};

const displayName: Edit = ({ metadata, ...shown }) => {
  const { displayName: name, ...before } = metadata;
  return name === undefined ? undefined : { ...shown, metadata: before };
};

/** A label that was added. */
const label: Edit = ({ metadata, ...shown }) => {
  const { labels, ...rest } = metadata;
  const [added, ...before] = Object.entries(objectAt({ labels }, 'labels')).toReversed();
  if (added === undefined) return undefined;
  const former = Object.fromEntries(before.toReversed());
  return { ...shown, metadata: before.length === 0 ? rest : { ...rest, labels: former } };
};

const enabled: Edit = (shown) => (shown.spec?.['enabled'] === false ? withSpec(shown, { enabled: true }) : undefined);

/** Any variable that is not secret, if nothing else can have been edited. */
const environment: Edit = (shown) => {
  const runtime = objectAt(shown.spec, 'runtime');
  const envs: { secret?: boolean }[] = Array.isArray(runtime['envs']) ? runtime['envs'] : [];
  const index = envs.findIndex(({ secret }) => secret !== true);
  if (index < 0) return undefined;
  return withRuntime(shown, { envs: envs.toSpliced(index, 1) });
};

const size = inSpec('sizeMb', (value) => (value % 2 === 0 ? value / 2 : undefined));
const maxRetries = inSpec('maxRetries', (value) => (value > 0 ? value - 1 : undefined));

/**
 * The edits of a kind. Amounts that are billed were not edited, so that the history agrees with the costs: the memory, for
 * example.
 */
export interface EditsOfKind {
  byProgram: readonly Edit[];
  byPeople: readonly Edit[];
  /** Edits after which the resource is deployed again. */
  ofSpec: readonly Edit[];
  /** The maximum number of edits. */
  max: number;
}

export const editsByKind = {
  AGENT: {
    byProgram: [image],
    byPeople: [variable, maxScale, stickySessions, policies, tier, displayName, label],
    ofSpec: [image, variable, maxScale, environment],
    max: 7,
  },
  SANDBOX: {
    byProgram: [image],
    byPeople: [variable, displayName, label],
    ofSpec: [image, variable, environment],
    max: 2,
  },
  JOB: {
    byProgram: [image],
    byPeople: [variable, maxRetries, displayName, label],
    ofSpec: [image, variable, maxRetries, environment],
    max: 5,
  },
  VOLUME: { byProgram: [displayName, label], byPeople: [displayName, label], ofSpec: [size], max: 1 },
  VPC: { byProgram: [displayName, label], byPeople: [displayName, label], ofSpec: [], max: 1 },
  EGRESS_GATEWAY: { byProgram: [], byPeople: [], ofSpec: [], max: 0 },
  EGRESS_IP: { byProgram: [], byPeople: [], ofSpec: [], max: 0 },
  SANDBOX_PREVIEW: { byProgram: [], byPeople: [], ofSpec: [], max: 0 },
} as const satisfies Record<string, EditsOfKind>;

export const deployment = image;
export const deactivation = enabled;

/** Back to the revision before: the rollback of a deployment. */
export const rollback: Edit = (shown) => {
  const runtime = objectAt(shown.spec, 'runtime');
  const [, base = '', number = ''] = /^(.*:r)(\d+)$/.exec(String(runtime['image'])) ?? [];
  if (number === '') return undefined;
  const bad = Number(number) + 1;
  const revision = { ...objectAt(shown.spec, 'revision'), active: `r${bad}` };
  return withSpec(withRuntime(shown, { image: `${base}${bad}` }), { revision });
};

/** The limits of an agent before it was scaled. */
export function scaling(before: { minScale: number; maxScale: number }): Edit {
  return (shown) => withRuntime(shown, before);
}

function inRuntime(name: string, former: (value: number) => number | undefined): Edit {
  return (shown) => {
    const before = formerNumber(objectAt(shown.spec, 'runtime')[name], former);
    return before === undefined ? undefined : withRuntime(shown, { [name]: before });
  };
}

function inSpec(name: string, former: (value: number) => number | undefined): Edit {
  return (shown) => {
    const before = formerNumber(shown.spec?.[name], former);
    return before === undefined ? undefined : withSpec(shown, { [name]: before });
  };
}

function withSpec(shown: Shown, fields: Record<string, unknown>): Shown {
  return { ...shown, spec: { ...shown.spec, ...fields } };
}

function withRuntime(shown: Shown, fields: Record<string, unknown>): Shown {
  return withSpec(shown, { runtime: { ...objectAt(shown.spec, 'runtime'), ...fields } });
}

function formerNumber(value: unknown, former: (value: number) => number | undefined): number | undefined {
  return typeof value === 'number' ? former(value) : undefined;
}

function objectAt(value: Record<string, unknown> | undefined, name: string): Record<string, unknown> {
  const found = value?.[name];
  return typeof found === 'object' && found !== null ? { ...found } : {};
}
