// Random inputs of the kinds that manifests can hold, as their mutations take them: mostly valid, and with faults.
import fc from 'fast-check';

// Tests take inputs apart, whose fields are unknown.
export type Input = ReturnType<typeof JSON.parse>;

const maybe = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });
const among = (...values: unknown[]) => fc.constantFrom(...values, null);

const displayName = among('A name', 'x'.repeat(63), 'É 👩‍💻');
const labelText = fc.constantFrom('app', 'example.com/team', 'constructor', 'É', 'x'.repeat(63));
const labels = fc.uniqueArray(fc.record({ key: labelText, value: fc.oneof(labelText, fc.constant('')) }), {
  maxLength: 3,
  selector: ({ key }) => key,
});

/** The metadata without a name, by kind. */
const named = { displayName, protected: among(false) };
const deployed = { ...named, externalId: among('ext-1'), labels };

const region = among('eu-open', 'eu-egress');
const enabled = among(true, false);
const restartPolicy = among('NEVER', 'ON_FAILURE');
const whole = among(0, -0, 1, 7);
const shown = among('some text', '');
const env = maybe({ value: among('plain', '', 'two\nlines'), secret: enabled });
const envs = fc.uniqueArray(
  fc.tuple(fc.constantFrom('A', 'B_2', 'c.d'), env).map(([name, more]) => ({ name, ...more })),
  { maxLength: 3, selector: ({ name }) => name },
);
const runtimeFields = { envs, generation: among('MK2', 'MK3'), memory: among(1024, 2048) };
const volumes = fc.subarray([
  { name: 'data', mountPath: '/data' },
  { name: 'data', mountPath: '/other', type: 'PERSISTENT', readOnly: true },
  { name: 'scratch', mountPath: '/tmp', type: 'EPHEMERAL', sizeMb: 10 },
]);
const headers = fc.oneof(
  fc.dictionary(fc.constantFrom('x-one', 'constructor', 'Authorization'), fc.constantFrom('value', '')),
  fc.constant(null),
);
const trigger = fc.oneof(
  maybe({
    id: fc.constantFrom('t', ''),
    enabled,
    configuration: maybe({ path: shown, retry: whole, timeout: among(9) }),
  }).map((more) => ({ type: 'HTTP', ...more })),
  maybe({
    id: fc.constantFrom('async'),
    configuration: maybe({ callbackUrl: among('https://example.com/x'), timeout: among(900) }),
  }).map((more) => ({ type: 'HTTP_ASYNC', ...more })),
  maybe({ tasks: fc.constantFrom([], [{}], [{ run: 'x' }, { constructor: '' }]) }).map((more) => ({
    type: 'CRON',
    configuration: { schedule: '0 5 * * 1', ...more },
  })),
);

export interface GeneratedKind {
  kind: string;
  /** The names of its parents, by their fields in documents. */
  parents: Record<string, string>;
  metadata: fc.Arbitrary<Input>;
  spec: fc.Arbitrary<Input>;
  /** The fields of the spec that never change. */
  immutable?: string[];
}

const workload = { enabled, region, restartPolicy, volumes };

export const generatedKinds: GeneratedKind[] = [
  {
    kind: 'Agent',
    parents: {},
    metadata: maybe(deployed),
    spec: maybe({
      ...workload,
      public: among(false),
      policies: fc.subarray(['one', 'two', '']),
      repository: fc.oneof(maybe({ type: shown, url: among('https://example.com/r') }), fc.constant(null)),
      revision: maybe({ active: shown, canary: among('c'), canaryPercent: among(0, -0), stickySessionTtl: whole }),
      runtime: maybe({ ...runtimeFields, minScale: among(0, 1), maxScale: among(2) }),
      triggers: fc.array(trigger, { maxLength: 3 }),
    }),
  },
  {
    kind: 'Sandbox',
    parents: {},
    metadata: maybe(deployed),
    spec: maybe({ ...workload, runtime: maybe(runtimeFields) }),
  },
  {
    kind: 'SandboxPreview',
    parents: { sandbox: 'box' },
    metadata: maybe(named),
    spec: maybe({
      customDomain: shown,
      expires: among('2027-01-01T02:00:00+01:00', '2027-01-01T00:00:00.123456Z'),
      port: among(1, 65_535),
      prefixUrl: shown,
      public: enabled,
      region,
      requestHeaders: headers,
      responseHeaders: headers,
      ttl: among('24h', '1h30m'),
    }),
  },
  {
    kind: 'Job',
    parents: {},
    metadata: maybe(deployed),
    spec: maybe({
      enabled,
      region,
      runtime: fc.oneof(maybe(runtimeFields), fc.constant(null)),
      parallelism: among(1, 2_147_483_647),
      maxRetries: whole,
      timeout: among(60),
      schedule: among('0 5 * * *', '@daily'),
      timeZone: among('Europe/Berlin', 'europe/berlin'),
    }),
  },
  {
    kind: 'Volume',
    parents: {},
    metadata: maybe(deployed),
    spec: fc.record({ region: fc.constantFrom('eu-open', 'eu-egress'), sizeMb: fc.constantFrom(1, 1024) }),
    immutable: ['region'],
  },
  {
    kind: 'Vpc',
    parents: {},
    metadata: maybe(deployed),
    spec: maybe({ cidrBlock: among('10.20.0.0/16'), region }),
    immutable: ['region'],
  },
  {
    kind: 'EgressGateway',
    parents: { vpc: 'net' },
    metadata: maybe(named),
    spec: maybe({ region: among('eu-egress') }),
    immutable: ['region'],
  },
  {
    kind: 'EgressIp',
    parents: { vpc: 'net', gateway: 'out' },
    metadata: maybe(named),
    spec: maybe({ ipFamily: among('ipv4', 'ipv6') }),
    immutable: ['ipFamily'],
  },
];

const texts = [
  '',
  ' ',
  'x'.repeat(2_000),
  'nul\u0000',
  'lone \ud800',
  'a\u202eb',
  'UPPER_case',
  '***',
  '1 h',
  '__proto__',
];
const numbers = [0, -0, -1, 1.5, 101, 65_536, 3_000_000_000, 1e308];
const lists = [null, [], ['x', 'x'], [null], ['nul\u0000'], Array(1_001).fill('x')];
const others = [
  null,
  '',
  'text',
  7,
  true,
  [],
  {},
  JSON.parse('{ "__proto__": "x" }'),
  { constructor: { prototype: 1 } },
];

/** A fault at one of the values of an input. A value of the same type takes its place, or any value, or none. */
const fault = fc.record({
  at: fc.nat(),
  does: fc.constantFrom('replace', 'replace', 'mistype', 'remove', 'add', 'repeat'),
  text: fc.constantFrom(...texts),
  number: fc.constantFrom(...numbers),
  list: fc.constantFrom(...lists),
  other: fc.constantFrom(...others),
});

/** None of most inputs. */
export const faults = fc.oneof(fc.constant([]), fc.array(fault, { maxLength: 2 }));

export function withFault(input: Input, { at, does, text, number, list, other }: FaultOf<typeof fault>): Input {
  const copy = structuredClone(input);
  const places = placesIn(copy);
  const place = places[at % places.length];
  if (place === undefined) return copy;
  const { within, name } = place;
  const value = within[name];
  if (does === 'remove' && Array.isArray(within)) within.splice(Number(name), 1);
  else if (does === 'remove') delete within[name];
  else if (does === 'repeat' && Array.isArray(within)) within.push(value);
  else if (does === 'add')
    set(Array.isArray(within) ? copy : within, name.length % 2 === 0 ? '__proto__' : 'unknown', other);
  // GraphQL takes one value for a list, and documents do not.
  else if (Array.isArray(value)) set(within, name, list);
  else if (does === 'replace' && typeof value === 'string') set(within, name, text);
  else if (does === 'replace' && typeof value === 'number') set(within, name, number);
  else set(within, name, other);
  return copy;
}

type FaultOf<Of> = Of extends fc.Arbitrary<infer Fault> ? Fault : never;

function set(within: Input, name: string, value: unknown): void {
  Object.defineProperty(within, name, { value, enumerable: true, configurable: true, writable: true });
}

function placesIn(value: Input): { within: Input; name: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((name) => [{ within: value, name }, ...placesIn(value[name])]);
}
