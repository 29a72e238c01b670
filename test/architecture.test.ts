// Who may import what. The rooms of src/ know of each other only what this table says.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const sources = fileURLToPath(new URL('../src', import.meta.url));

interface Import {
  from: string;
  /** A file of ours, relative to src/; undefined for a package. */
  to: string;
  isTypeOnly: boolean;
  /** What is imported of it; nothing where a whole file is. */
  names: string[];
}

const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !/^(database\/client|console\/web)\//.test(path))
  .toSorted();

const imports = files.flatMap(importsOf);

/** Every import and re-export of our own files, static or not. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(sources, file), 'utf8');
  const statements = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:([^'";]*?)\sfrom\s+)?'(\.{1,2}\/[^']+)'/gm);
  const calls = text.matchAll(/\bimport\((type\s+)?()'(\.{1,2}\/[^']+)'\)/g);
  return [...statements, ...calls].map(([, type, clause = '', specifier = '']) => {
    const target = relative(sources, normalize(join(sources, dirname(file), specifier)));
    return {
      from: file,
      to: target.replaceAll('\\', '/').replace(/\.js$/, '.ts'),
      isTypeOnly: type !== undefined,
      names: clause.match(/\w+(?=\s*(?:,|\}|as\b))/g) ?? [],
    };
  });
}

/** Each circle that imports make, as its files in order. */
function circlesOf(among: Import[]): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, trail: string[]): void => {
    if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
    if (done.has(file) || trail.includes(file)) return;
    for (const { from, to } of among) if (from === file) visit(to, [...trail, file]);
    done.add(file);
  };
  for (const { from } of among) visit(from, []);
  return circles;
}

interface Room {
  name: string;
  holds: RegExp;
  /** What its files may import, and of what they may import types alone. */
  may: RegExp[];
  mayTypes?: RegExp[];
}

const errors = /^(?:errors|codes)\.ts$/;
const config = /^config\.ts$/;
/** The tables of settings, read by the configuration alone. */
const settings = /^settings\//;
const seal = /^seal\.ts$/;
const access = /^access\//;
const database = /^database\//;
const paging = /^paging\//;
const changes = /^changes\/(?!(?:webhooks\/)?graphql)/;
const webhooks = /^changes\/webhooks\/(?!graphql)/;
/** What a webhook is. */
const webhookWords = /^changes\/webhooks\/webhook\.ts$/;
/** Where webhooks may lead, which every request knows of. */
const egress = /^changes\/webhooks\/egress\.ts$/;
/** What sends to webhooks by itself. */
const deliveries = /^changes\/webhooks\/(?:egress|delivery-loop)\.ts$/;
/** One of the process, and known to every request. */
const changeHub = /^changes\/change-hub\.ts$/;
/** Gathered by the process, and told by its upkeep. */
const refusals = /^changes\/refusals\//;
/** What every door that changes something passes a change through. */
const idempotency = /^changes\/idempotent-change\.ts$/;
/** States and what leads from one to another, and what executors do about it. */
const lifecycle = /^lifecycle\//;
/** What of it is tables and rules alone. */
const lifecycleWords = /^lifecycle\/(?:deployment-states|execution-states|work-kinds|assignment)\.ts$/;
/** One of the process, and known to every request. */
const workHub = /^lifecycle\/work-hub\.ts$/;
/** What upkeep does. */
const lifecycleUpkeep = /^lifecycle\/(?:give-up|tend-executions|invocation-steps|count-assignments)\.ts$/;
const kind = /^kind\//;
const graphql = /^graphql\//;
const rest = /^rest\//;
const oauth = /^oauth\//;
/** What somebody does about their own access, which their page leads to. */
const ownAccess = /^resources\/accounts\/(?:self|invitation-answer|sign-ins)\.ts$/;
/** What authorises nobody: the command line's. */
const operator = /^operator\//;
const services = /^process\/services\.ts$/;
/** What the doors stand on; the rest of http/ composes them. */
const doorway = /^http\/(?!server|addresses|observation)/;
const telemetry = /^telemetry\//;
const noun = /^(?:resources\/[^/]+|usage|metrics)\/(?!graphql|rest\.ts)[^/]+\.ts$/;
/** What usage is told and kept by, which every reader of it needs. */
const usageWords = /^usage\/(billed|billing-input|dimensions|instant)\.ts$/;
/** Rules that know of no database and of no caller. */
const pure =
  /^(?:usage\/(?:dimensions|instant|amounts|usage-event|usage-shape|usage-file|usage-lines|cloud-event|gather|billed|billing-(?:catalog|input))|metrics\/(?:csv|metrics-filters|metrics-query|time-zone|window|zoned-buckets)|resources\/(?:agents\/(?:cron-schedule|agent-spec|checked-agent-spec)|configuration\/(?:position|data-centre-towns|gazetteer|detected-region)))\.ts$/;
/** Shapes of which every room may know: they hold no rows. */
const shapes =
  /^kind\/(?:cron-schedule|number|text|words|runtime|duration|shape|shape-value|problem|rule|spec-size|resource)\.ts$/;
/** What reads and writes rows without asking who wants it. */
const rows =
  /^(?:kind\/(?:read-|keep-|write-|insert|delete-|change-resource|resource-(?:input|kind)|page-statement)|metrics\/read-)/;
/** What upkeep does for lists. */
const listUpkeep = /^kind\/keep-name-runs\.ts$/;
/** What usage costs, for whoever asks. */
const metricsOut = /^metrics\/(?:export|read-part|metrics-query)\.ts$/;
/** What brings resources in as they are: for the demo, and whoever holds the database. */
const inputs = /^resources\/[^/]+\/[^/]+-input\.ts$/;
const configurationInput = /^resources\/configuration\/configuration-input\.ts$/;
/** Rules between resources. */
const rules = /^resources\/[^/]+\/[^/]+-rules\.ts$/;
const usageIn =
  /^usage\/(?:usage|usage-shape|usage-file|usage-lines|usage-result|billed|billing-(?:catalog|input)|dimensions)\.ts$/;
/** The files that say what each kind of resource holds. */
const resourceShapes =
  /^resources\/(?:accounts\/workspace|agents\/agent-spec|jobs\/job|networks\/(?:vpc|egress-gateway|egress-ip)|sandboxes\/(?:sandbox|preview)|volumes\/volume)\.ts$/;
/** A client of a gateway: it knows the shapes of documents, and reaches everything else over HTTP. */
const apply = /^apply\//;
/** What of it reads files. */
const documents = /^apply\/document(?:-files)?\.ts$/;
const process = /^process\//;
const composed = /^process\/create-services\.ts$/;
const started = /^process\/(?:start|failure)\.ts$/;
const admin = /^admin\//;
const demo = /^demo\//;
const gateway = /^http\/server\.ts$/;
const adminSocket = /^admin\/socket\.ts$/;
/** What a house is opened by, from outside. */
const doorsOfHttp = /^(?:graphql\/server|oauth\/door|console\/door|rest\/(?:router|routes|openapi-versions))\.ts$/;
const folds =
  /^(?:usage\/(?:fold-all-usage|usage-(?:fold|retention))|metrics\/check-budgets|resources\/schedules\/run-schedules|changes\/change-retention|changes\/webhooks\/delivery-retention)\.ts$/;
const graphqlDoors = /^(?:resources\/[^/]+|usage|metrics|changes|changes\/webhooks)\/graphql[^/]*\.ts$/;
const restDoors = /^(?:resources\/[^/]+|usage|metrics)\/rest\.ts$/;

// The first room that holds a file is its room.
const rooms: Room[] = [
  { name: 'settings', holds: settings, may: [settings] },
  { name: 'config, errors, seal', holds: /^(config|errors|codes|seal)\.ts$/, may: [errors, settings] },
  { name: 'paging', holds: paging, may: [errors, paging], mayTypes: [seal] },
  { name: 'database', holds: database, may: [config, errors, database], mayTypes: [paging] },
  {
    name: 'access',
    holds: access,
    may: [errors, access, database, paging, seal],
    mayTypes: [changeHub, workHub, egress],
  },
  {
    name: 'webhooks',
    holds: webhooks,
    may: [errors, access, database, paging, changes, kind, noun],
    mayTypes: [seal],
  },
  { name: 'changes', holds: changes, may: [errors, access, database, paging, changes], mayTypes: [seal] },
  {
    name: 'lifecycle',
    holds: lifecycle,
    may: [errors, access, database, paging, changes, lifecycle],
    mayTypes: [seal],
  },
  { name: 'kind', holds: kind, may: [errors, access, database, paging, changes, lifecycle, kind], mayTypes: [seal] },
  { name: 'pure rules', holds: pure, may: [errors, pure, shapes], mayTypes: [access] },
  { name: 'nouns', holds: noun, may: [errors, access, database, paging, seal, changes, lifecycle, kind, noun] },
  {
    name: 'graphql doors',
    holds: graphqlDoors,
    may: [noun, changes, lifecycleWords, kind, graphql, graphqlDoors],
    mayTypes: [access, paging, lifecycle],
  },
  { name: 'rest doors', holds: restDoors, may: [noun, kind, rest, errors] },
  { name: 'graphql/schema.ts', holds: /^graphql\/schema\.ts$/, may: [graphql, graphqlDoors] },
  { name: 'rest/routes.ts', holds: /^rest\/routes\.ts$/, may: [rest, restDoors] },
  {
    name: 'graphql',
    holds: graphql,
    may: [graphql, access, errors, database, paging, idempotency, kind, doorway],
    mayTypes: [services],
  },
  {
    name: 'rest',
    holds: rest,
    may: [rest, access, errors, database, paging, idempotency, doorway],
    mayTypes: [services],
  },
  {
    name: 'oauth',
    holds: oauth,
    may: [oauth, access, errors, database, doorway, ownAccess],
    mayTypes: [services, /^resources\/accounts\/invitation\.ts$/],
  },
  { name: 'the doorway of http', holds: doorway, may: [doorway, errors, access, database], mayTypes: [services] },
  { name: 'telemetry', holds: telemetry, may: [telemetry] },
  {
    name: 'operator',
    holds: operator,
    may: [
      errors,
      seal,
      access,
      database,
      changes,
      webhookWords,
      lifecycleWords,
      kind,
      /^usage\//,
      metricsOut,
      operator,
    ],
  },
  {
    name: 'console',
    holds: /^console\//,
    may: [/^console\/(?!web\/)/, access, errors, doorway],
    mayTypes: [services],
  },
  {
    name: 'what composes the doors',
    holds: /^http\//,
    may: [doorsOfHttp, /^http\//, telemetry, access, errors],
    mayTypes: [services],
  },
  { name: 'main', holds: /^main\.ts$/, may: [config, process] },
  {
    name: 'process',
    holds: process,
    may: [
      config,
      errors,
      seal,
      access,
      database,
      changeHub,
      refusals,
      deliveries,
      process,
      gateway,
      doorway,
      telemetry,
      adminSocket,
      folds,
      idempotency,
      workHub,
      lifecycleUpkeep,
      listUpkeep,
    ],
  },
  { name: 'apply', holds: apply, may: [shapes, resourceShapes, /^graphql\/enums\.ts$/, apply] },
  {
    name: 'admin',
    holds: admin,
    may: [
      config,
      errors,
      seal,
      access,
      database,
      operator,
      shapes,
      lifecycleWords,
      folds,
      usageIn,
      configurationInput,
      apply,
      admin,
      composed,
    ],
    mayTypes: [services],
  },
  {
    name: 'demo',
    holds: demo,
    may: [config, access, operator, lifecycleWords, inputs, rules, pure, shapes, documents, demo, started],
    mayTypes: [services, seal, database, noun, errors],
  },
];

function roomOf(file: string): Room | undefined {
  return rooms.find(({ holds }) => holds.test(file));
}

function isAllowed(room: Room, { to, isTypeOnly }: Import): boolean {
  const allowed = isTypeOnly ? [...room.may, ...(room.mayTypes ?? [])] : room.may;
  return allowed.some((pattern) => pattern.test(to));
}

function isDoor(file: string): boolean {
  return graphqlDoors.test(file) || restDoors.test(file) || /^(?:graphql|rest|oauth|console|http)\//.test(file);
}

/** Doors hold nothing that reads or writes rows by itself: what they call authorises first. */
function reachesRows({ from, to, isTypeOnly }: Import): boolean {
  return isDoor(from) && !isTypeOnly && (rows.test(to) || inputs.test(to) || rules.test(to));
}

/** The client is made in one place: everybody else is handed what it opens. */
function makesClients({ from, names }: Import): boolean {
  return !database.test(from) && names.includes('PrismaClient');
}

/** Imports that the table does not allow; of a file without a room, all. */
function strayImports(among: Import[]): Import[] {
  return among.filter((each) => {
    const room = roomOf(each.from);
    return room === undefined || !isAllowed(room, each) || reachesRows(each) || makesClients(each);
  });
}

const named = ({ from, to }: Import) => `${from} -> ${to}`;

describe('The house', () => {
  it('has a room for every file', () => {
    expect(files.length).toBeGreaterThan(30);
    expect(files.filter((file) => roomOf(file) === undefined)).toEqual([]);
  });

  it.each(rooms)('lets $name import only what the table says', (room) => {
    const own = imports.filter(({ from }) => roomOf(from) === room);
    expect(strayImports(own).map(named)).toEqual([]);
  });

  it('keeps each door to the nouns of its own folder', () => {
    const strays = imports.filter(
      ({ from, to }) =>
        (graphqlDoors.test(from) || restDoors.test(from)) &&
        noun.test(to) &&
        !usageWords.test(to) &&
        dirname(from) !== dirname(to),
    );
    expect(strays.map(named)).toEqual([]);
  });

  it('lets a graphql door import another folder’s door for nothing but itself', () => {
    const strays = imports.filter(
      ({ from, to }) => graphqlDoors.test(to) && dirname(from) !== dirname(to) && !graphqlDoors.test(from),
    );
    expect(strays.map(({ from }) => from).filter((from) => from !== 'graphql/schema.ts')).toEqual([]);
  });

  it('has no import of main.ts', () => {
    expect(imports.filter(({ to }) => /(^|\/)main\.ts$/.test(to)).map(named)).toEqual([]);
  });

  it('has no admin and no demo inside the service', () => {
    const inward = imports.filter(({ to, from }) => /^(admin|demo)\//.test(to) && !/^(admin|demo)\//.test(from));
    expect(inward.map(named).filter((each) => !each.startsWith('process/start.ts'))).toEqual([]);
  });

  it('lets the command line and the demo alone reach what authorises nobody', () => {
    const users = imports.filter(({ from, to }) => operator.test(to) && !operator.test(from));
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter(({ from }) => !/^(admin|demo)\//.test(from)).map(named)).toEqual([]);
  });

  it('has no circle of imports, types included', () => {
    expect(circlesOf(imports)).toEqual([]);
  });

  it('reads the environment in config.ts alone, handed in by the programs that start', () => {
    const readers = files.filter((file) => /\bprocess\.env\b/.test(readFileSync(join(sources, file), 'utf8')));
    const programs = ['main.ts', 'admin/main.ts', 'demo/main.ts', 'demo/data-plane.ts', 'config.ts'];
    expect(readers.filter((file) => !programs.includes(file))).toEqual([]);
  });

  it('knows Yoga, Pothos and GraphQL behind the GraphQL door alone', () => {
    const users = files.filter((file) =>
      /from '(graphql|graphql-yoga|graphql-jit|@pothos\/[^']+)'/.test(readFileSync(join(sources, file), 'utf8')),
    );
    expect(users.filter((file) => !graphql.test(file) && !graphqlDoors.test(file))).toEqual([]);
  });

  it('has no barrel, and no file named after nothing', () => {
    const vague = /(^|\/)(index|utils?|helpers?|types|common)\.ts$/;
    expect(files.filter((file) => vague.test(file))).toEqual([]);
    expect(imports.filter(({ to }) => !files.includes(to) && !to.startsWith('database/client/')).map(named)).toEqual(
      [],
    );
  });
});

describe('The table of rooms', () => {
  const synthetic = (from: string, to: string, ...names: string[]): Import => ({ from, to, names, isTypeOnly: false });

  it.each([
    ['resources/accounts/graphql.ts', 'operator/all-accounts.ts'],
    ['resources/accounts/graphql.ts', 'operator/all-members.ts'],
    ['resources/accounts/graphql.ts', 'operator/all-api-keys.ts'],
    ['resources/accounts/graphql.ts', 'access/api-key.ts'],
    ['resources/accounts/graphql.ts', 'access/authorize.ts'],
    ['resources/accounts/rest.ts', 'operator/all-workspaces.ts'],
    ['resources/agents/rest.ts', 'database/open.ts'],
    ['resources/agents/rest.ts', 'kind/read-page.ts'],
    ['resources/agents/rest.ts', 'kind/resource-input.ts'],
    ['resources/sandboxes/rest.ts', 'kind/change-resource.ts'],
    ['resources/agents/graphql.ts', 'resources/agents/agent-input.ts'],
    ['resources/volumes/graphql.ts', 'resources/volumes/attachment-rules.ts'],
    ['resources/configuration/graphql.ts', 'resources/configuration/configuration-input.ts'],
    ['resources/configuration/rest.ts', 'resources/configuration/configuration-input.ts'],
    ['graphql/resource-list.ts', 'kind/read-page.ts'],
    ['rest/router.ts', 'resources/agents/agents.ts'],
    ['usage/graphql.ts', 'operator/all-usage.ts'],
    ['metrics/metrics-query.ts', 'database/open.ts'],
    ['metrics/metrics-query.ts', 'metrics/metrics.ts'],
    ['resources/agents/agent-spec.ts', 'database/client/client.ts'],
    ['resources/accounts/reachable.ts', 'operator/all-principals.ts'],
    ['resources/accounts/reachable.ts', 'graphql/builder.ts'],
    ['oauth/endpoints.ts', 'operator/all-clients.ts'],
    ['oauth/authorization-endpoint.ts', 'operator/passwords.ts'],
    ['access/authenticate.ts', 'operator/all-access-tokens.ts'],
    ['access/authenticate.ts', 'kind/read-page.ts'],
    ['kind/read-page.ts', 'resources/agents/agents.ts'],
    ['http/server.ts', 'operator/all-accounts.ts'],
    ['http/addresses.ts', 'resources/agents/agents.ts'],
    ['http/addresses.ts', 'database/open.ts'],
    ['process/start.ts', 'operator/all-accounts.ts'],
    ['process/start.ts', 'resources/agents/agents.ts'],
    ['main.ts', 'database/open.ts'],
    ['demo/load.ts', 'resources/agents/agents.ts'],
    ['demo/load.ts', 'database/open.ts'],
    ['admin/main.ts', 'resources/agents/agent-input.ts'],
    ['admin/commands.ts', 'graphql/builder.ts'],
    ['apply/apply.ts', 'resources/agents/agents.ts'],
    ['apply/apply.ts', 'database/open.ts'],
    ['apply/apply.ts', 'kind/change-resource.ts'],
  ])('lets no %s import %s', (from, to) => {
    expect(files).toContain(from);
    expect([...files, 'database/client/client.ts']).toContain(to);
    expect(strayImports([synthetic(from, to)])).toHaveLength(1);
  });

  it.each(['resources/agents/agents.ts', 'kind/read-page.ts', 'access/reach.ts', 'metrics/metrics.ts'])(
    'lets no %s make a database client, though it may write SQL',
    (from) => {
      expect(files).toContain(from);
      expect(strayImports([synthetic(from, 'database/client/client.ts', 'PrismaClient')])).toHaveLength(1);
      expect(strayImports([synthetic(from, 'database/client/client.ts', 'Prisma')])).toEqual([]);
    },
  );

  it('finds circles, and none where there are none', () => {
    const way = (from: string, to: string): Import => ({ from, to, names: [], isTypeOnly: true });
    expect(circlesOf([way('a.ts', 'b.ts'), way('b.ts', 'c.ts'), way('a.ts', 'c.ts')])).toEqual([]);
    expect(circlesOf([way('a.ts', 'b.ts'), way('b.ts', 'c.ts'), way('c.ts', 'b.ts')])).toEqual([
      'b.ts -> c.ts -> b.ts',
    ]);
  });
});
