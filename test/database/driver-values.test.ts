// Values reach the database through a transaction's driver as they do through Prisma's adapter.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Prisma } from '../../src/database/client/client.js';
import { useApp } from '../harness.js';

const running = useApp();

/** Texts that PostgreSQL can store. */
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '}', ' ', 'NULL', "'") }),
  )
  .filter((value) => !value.includes('\0'));
const number = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const date = fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });

const cases = {
  text: text.map((value) => Prisma.sql`SELECT ${value}::text`),
  'text[]': fc.array(text).map((value) => Prisma.sql`SELECT ${value}::text[]::text`),
  'int[]': fc.array(number).map((value) => Prisma.sql`SELECT ${value}::int[]::text`),
  int: number.map((value) => Prisma.sql`SELECT ${value}::int::text`),
  bigint: fc
    .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    .map((value) => Prisma.sql`SELECT ${value}::bigint::text`),
  float: fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value) => Prisma.sql`SELECT ${value}::double precision::text`),
  boolean: fc.boolean().map((value) => Prisma.sql`SELECT ${value}::boolean::text`),
  timestamptz: date.map((value) => Prisma.sql`SELECT (${value}::timestamptz AT TIME ZONE 'UTC')::text`),
  bytea: fc.uint8Array().map((value) => Prisma.sql`SELECT encode(${value}::bytea, 'hex')`),
  null: fc.constant(null).map((value) => Prisma.sql`SELECT (${value}::text IS NULL)::text`),
  jsonb: text.map((value) => Prisma.sql`SELECT ${JSON.stringify({ [value]: [value, 1, null] })}::jsonb::text`),
};

it.each(Object.entries(cases))('%s', async (_name, statements) => {
  const { db } = running.app.services;
  await fc.assert(
    fc.asyncProperty(statements, async (statement) => {
      const [driven, standard] = await Promise.all([
        db.$begin((tx) => tx.$text(statement)),
        db.$queryRaw<Record<string, unknown>[]>(statement),
      ]);
      expect(driven).toBe(Object.values(standard[0] ?? {})[0]);
    }),
    { numRuns: 60 },
  );
});

it('refuses an invalid value before anything is sent, and goes on', async () => {
  const { db } = running.app.services;
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const refused = db.$begin((tx) => tx.$text(Prisma.sql`SELECT ${circular}::text`));
  await expect(refused).rejects.toThrow(/circular/i);
  expect(await db.$begin((tx) => tx.$text(Prisma.sql`SELECT 'goes on'`))).toBe('goes on');
});
