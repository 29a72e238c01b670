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
}

const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.startsWith('database/client/'))
  .toSorted();

const imports = files.flatMap(importsOf);

/** Every import and re-export of our own files, static or not. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(sources, file), 'utf8');
  const statements = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'(\.{1,2}\/[^']+)'/gm);
  const calls = text.matchAll(/\bimport\((type\s+)?'(\.{1,2}\/[^']+)'\)/g);
  return [...statements, ...calls].map(([, type, specifier = '']) => {
    const target = relative(sources, normalize(join(sources, dirname(file), specifier)));
    return { from: file, to: target.replaceAll('\\', '/').replace(/\.js$/, '.ts'), isTypeOnly: type !== undefined };
  });
}

interface Room {
  name: string;
  holds: RegExp;
  /** What its files may import, and of what they may import types alone. */
  may: RegExp[];
  mayTypes?: RegExp[];
}

const errors = /^errors\.ts$/;
const context = /^context\.ts$/;
const seal = /^seal\.ts$/;
const access = /^access\//;
const database = /^database\//;
const paging = /^paging\//;
const graphql = /^graphql\//;
const rest = /^rest\//;
const oauth = /^oauth\//;
const pureResource = /^resources\/(resource|words)\.ts$/;
const resource = /^resources\/[^/]+\.ts$/;
const nouns = /^resources\/[^/]+\/(?!graphql|rest\.ts)[^/]+\.ts$/;
const graphqlDoors = /^resources\/[^/]+\/graphql[^/]*\.ts$/;
const restDoors = /^resources\/[^/]+\/rest\.ts$/;

// The first room that holds a file is its room.
const rooms: Room[] = [
  { name: 'config, errors, seal', holds: /^(config|errors|seal)\.ts$/, may: [errors] },
  { name: 'paging', holds: paging, may: [errors, paging], mayTypes: [seal] },
  { name: 'resource.ts', holds: pureResource, may: [errors, paging, pureResource] },
  {
    name: 'what all resources share',
    holds: resource,
    may: [errors, context, access, database, paging, resource],
    mayTypes: [seal],
  },
  { name: 'context', holds: context, may: [errors], mayTypes: [seal, access, database] },
  { name: 'database', holds: database, may: [/^config\.ts$/, errors, database], mayTypes: [paging] },
  { name: 'access', holds: access, may: [errors, context, access, database, paging, seal] },
  {
    name: 'nouns',
    holds: nouns,
    may: [errors, context, access, database, paging, seal, resource, nouns],
  },
  {
    name: 'graphql doors',
    holds: graphqlDoors,
    may: [nouns, resource, graphql, graphqlDoors],
    mayTypes: [access, context, paging],
  },
  { name: 'rest doors', holds: restDoors, may: [nouns, resource, rest, errors] },
  { name: 'graphql/schema.ts', holds: /^graphql\/schema\.ts$/, may: [graphql, graphqlDoors] },
  { name: 'rest/routes.ts', holds: /^rest\/routes\.ts$/, may: [rest, restDoors] },
  {
    name: 'graphql',
    holds: graphql,
    may: [graphql, context, errors, database, paging, resource],
    mayTypes: [access],
  },
  {
    name: 'rest',
    holds: rest,
    may: [rest, context, errors, database, paging, /^access\/scopes\.ts$/],
    mayTypes: [access],
  },
  {
    name: 'oauth',
    holds: oauth,
    may: [oauth, access, context, errors, database, /^rest\/write\.ts$/],
  },
  { name: 'what starts the process', holds: /^(failure|main|server|services|start|upkeep)\.ts$/, may: [/./] },
  { name: 'admin and demo', holds: /^(admin|demo)\//, may: [/./] },
];

function roomOf(file: string): Room | undefined {
  return rooms.find(({ holds }) => holds.test(file));
}

function isAllowed(room: Room, { to, isTypeOnly }: Import): boolean {
  const allowed = isTypeOnly ? [...room.may, ...(room.mayTypes ?? [])] : room.may;
  return allowed.some((pattern) => pattern.test(to));
}

const named = ({ from, to }: Import) => `${from} -> ${to}`;

describe('The house', () => {
  it('has a room for every file', () => {
    expect(files.length).toBeGreaterThan(30);
    expect(files.filter((file) => roomOf(file) === undefined)).toEqual([]);
  });

  it.each(rooms)('lets $name import only what the table says', (room) => {
    const own = imports.filter(({ from }) => roomOf(from) === room);
    expect(own.filter((each) => !isAllowed(room, each)).map(named)).toEqual([]);
  });

  it('keeps each door to the nouns of its own folder', () => {
    const strays = imports.filter(
      ({ from, to }) =>
        (graphqlDoors.test(from) || restDoors.test(from)) && nouns.test(to) && dirname(from) !== dirname(to),
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
    expect(inward.map(named).filter((each) => !each.startsWith('start.ts'))).toEqual([]);
  });

  it('has no circle of imports but of types', () => {
    const values = imports.filter(({ isTypeOnly }) => !isTypeOnly);
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, trail: string[]): void => {
      if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
      if (done.has(file) || trail.includes(file)) return;
      for (const { from, to } of values) if (from === file) visit(to, [...trail, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  it('reads the environment in config.ts alone, handed in by the programs that start', () => {
    const readers = files.filter((file) => /\bprocess\.env\b/.test(readFileSync(join(sources, file), 'utf8')));
    const programs = ['main.ts', 'admin/main.ts', 'demo/main.ts', 'config.ts'];
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
