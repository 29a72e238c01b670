// The steps of a random sequence of changes, and the requests for them.
import fc from 'fast-check';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import type { Model } from './changes-model.js';

export const places = ['one', 'other'] as const;
export type Place = (typeof places)[number];

/** The unique names in a workspace. */
export type Kind = 'AGENT' | 'SANDBOX' | 'VOLUME' | 'JOB';

/** The input of an update; undefined keeps a field, null clears it. */
export interface Content {
  displayName?: string | null | undefined;
  enabled?: boolean | undefined;
  region?: string | null | undefined;
  /** The name of a volume that is attached. */
  volume?: string | null | undefined;
}

interface Condition {
  /** How far it is from the version that the resource has. */
  ifVersionOff?: number | undefined;
  validateOnly?: boolean | undefined;
}

export type Step = { place: Place; name: string } & Condition &
  (
    | { does: 'create' | 'update'; kind: Kind; content: Content }
    | { does: 'delete'; kind: Kind }
    | { does: 'createPreview' | 'deletePreview'; preview: string }
    | { does: 'run' }
    | { does: 'cancel' | 'deleteExecution'; which: number }
  );

const name = fc.constantFrom('alpha', 'beta-1');
const volume = fc.constantFrom('data', 'logs');
const region = fc.constantFrom('eu-open', 'eu-open', 'eu-egress', 'eu-closed');
const displayName = fc.constantFrom('Alpha and more', 'b', 'x'.repeat(63), 'x'.repeat(64));
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const removable = <Value>(value: fc.Arbitrary<Value>) => maybe(fc.option(value, { nil: null }));

const condition = {
  place: fc.constantFrom(...places),
  validateOnly: fc.constantFrom(undefined, undefined, undefined, false, true),
  ifVersionOff: fc.constantFrom(undefined, undefined, 0, 1, -1),
};

const workload = { displayName: removable(displayName), region: removable(region), volume: removable(volume) };
const enabled = maybe(fc.boolean());

const made: Record<Kind, fc.Arbitrary<Content>> = {
  AGENT: fc.record({ ...workload, enabled }),
  SANDBOX: fc.record({ ...workload, enabled }),
  JOB: fc.record({ displayName: removable(displayName), region: removable(region), enabled }),
  VOLUME: fc.record({ displayName: removable(displayName), region }),
};
const changed: typeof made = { ...made, VOLUME: fc.record({ displayName: removable(displayName) }) };

const namesOf = (kind: Kind) =>
  fc.oneof(
    { weight: 9, arbitrary: kind === 'VOLUME' ? volume : name },
    { weight: 1, arbitrary: fc.constantFrom('Bad_Name', '-') },
  );

const stepOf = (kind: Kind): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        ...condition,
        does: fc.constant('create'),
        kind: fc.constant(kind),
        name: namesOf(kind),
        content: made[kind],
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        ...condition,
        does: fc.constant('update'),
        kind: fc.constant(kind),
        name: namesOf(kind),
        content: changed[kind],
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ ...condition, does: fc.constant('delete'), kind: fc.constant(kind), name: namesOf(kind) }),
    },
  );

const which = fc.integer({ min: 0, max: 1 });

export const step: fc.Arbitrary<Step> = fc.oneof(
  stepOf('AGENT'),
  stepOf('SANDBOX'),
  stepOf('VOLUME'),
  stepOf('JOB'),
  fc.record({ ...condition, does: fc.constantFrom('createPreview', 'deletePreview'), name, preview: name }),
  fc.record({ ...condition, does: fc.constant('run'), name }),
  fc.record({ ...condition, does: fc.constantFrom('cancel', 'deleteExecution'), name, which }),
);

const fieldOf: Record<Kind, string> = { AGENT: 'agent', SANDBOX: 'sandbox', VOLUME: 'volume', JOB: 'job' };

const upperFirst = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** A step as a caller asks for it. */
export function requestOf(
  model: Model,
  workspace: string,
  taken: Step,
): { mutation: string; field: string; input: object } {
  const ifVersion = taken.ifVersionOff === undefined ? undefined : (model.versionOf(taken) ?? 1) + taken.ifVersionOff;
  const { validateOnly } = taken;
  const where = { workspace, validateOnly };
  switch (taken.does) {
    case 'create':
    case 'update': {
      const { displayName: shown, volume: attached, ...spec } = taken.content;
      const volumes = attached && [{ type: 'PERSISTENT', name: attached, mountPath: '/data' }];
      const isNew = taken.does === 'create';
      const sizes = isNew && taken.kind === 'VOLUME' ? { sizeMb: 10 } : {};
      const content = {
        metadata: { displayName: shown },
        spec: taken.kind === 'VOLUME' ? { ...spec, ...sizes } : { ...spec, volumes },
      };
      const mutation = `${taken.does}${upperFirst(fieldOf[taken.kind])}`;
      const input = isNew
        ? { ...where, ...content, metadata: { ...content.metadata, name: taken.name } }
        : { ...where, ...content, name: taken.name, ifVersion };
      return { mutation, field: fieldOf[taken.kind], input };
    }
    case 'delete': {
      const input = { ...where, name: taken.name, ifVersion };
      return { mutation: `delete${upperFirst(fieldOf[taken.kind])}`, field: fieldOf[taken.kind], input };
    }
    case 'createPreview': {
      const input = { ...where, sandboxName: taken.name, metadata: { name: taken.preview }, spec: { port: 80 } };
      return { mutation: 'createSandboxPreview', field: 'sandboxPreview', input };
    }
    case 'deletePreview': {
      const input = { ...where, sandboxName: taken.name, name: taken.preview, ifVersion };
      return { mutation: 'deleteSandboxPreview', field: 'sandboxPreview', input };
    }
    case 'run':
      return { mutation: 'runJob', field: 'jobExecution', input: { ...where, name: taken.name } };
    case 'cancel':
    case 'deleteExecution': {
      const job = model.workspaces[taken.place].JOB.get(taken.name);
      const id = job?.executions.at(taken.which)?.id;
      const mutation = taken.does === 'cancel' ? 'cancelJobExecution' : 'deleteJobExecution';
      const input = {
        id: id ?? encodeGlobalId('JobExecution', '00000000-0000-4000-8000-000000000000'),
        ifVersion,
      };
      return { mutation, field: 'jobExecution', input };
    }
  }
}
