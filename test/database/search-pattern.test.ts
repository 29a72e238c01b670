// Search terms are folded in JavaScript. Lists that store no column `search` fold their texts in SQL.
import { beforeAll, describe, expect, it } from 'vitest';
import { Prisma } from '../../src/database/client/client.js';
import { foldedSql } from '../../src/database/search-pattern.js';
import { foldCase } from '../../src/pagination/page.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';

const running = useApp();
let key: string;

beforeAll(async () => {
  const { app } = running;
  ({ key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['greek', 'turkish'] })));
  const names = { greek: 'Οδυσσεύς', turkish: 'İzmir' };
  for (const [name, displayName] of Object.entries(names)) {
    await app.services.db.workspace.update({ where: { name }, data: { displayName } });
  }
});

/** The letters from one code point to another. */
function letters(from: number, to: number): string[] {
  const points = Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index));
  return points.filter((letter) => /\p{L}/u.test(letter));
}

describe('foldedSql()', () => {
  it.each([
    ['Latin', letters(0x41, 0x24f)],
    ['Greek', letters(0x370, 0x3ff)],
    ['Cyrillic', letters(0x400, 0x4ff)],
    ['Armenian', letters(0x531, 0x587)],
    ['the ends of words', ['ΟΔΥΣΣΕΥΣ', 'Οδυσσεύς', 'ΣΑΣ ΣΑΣ', 'İZMİR', 'Iı']],
  ])('folds letters as search terms are folded: %s', async (_, texts) => {
    const folded = await running.app.services.db.$text(Prisma.sql`
      SELECT json_agg(${foldedSql(Prisma.sql`t."text"`)} ORDER BY t."ordinal")::text
      FROM unnest(${texts}::text[]) WITH ORDINALITY AS t("text", "ordinal")`);
    expect(JSON.parse(folded)).toEqual(texts.map(foldCase));
  });
});

describe('A search in a list that stores no column for it', () => {
  it.each([
    ['Οδυσσεύς', ['greek']],
    ['ΟΔΥΣΣΕΎΣ', ['greek']],
    ['σεύσ', ['greek']],
    ['İzmir', ['turkish']],
  ])('finds the display name by %s', async (search, names) => {
    const query = 'query ($search: String) { workspaces(search: $search) { nodes { name } } }';
    const { body } = await graphql(running.app, key, query, { search });
    expect(body.data.workspaces.nodes.map(({ name }: { name: string }) => name)).toEqual(names);
  });
});
