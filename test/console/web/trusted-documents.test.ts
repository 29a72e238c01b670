import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { documentsIn } from '../../../src/console/web/build/documents.js';
import { trustedDocuments } from '../../../src/console/web/build/trusted-documents.js';

const folder = fileURLToPath(new URL('../../../src/console/web', import.meta.url));
const schema = buildSchema(readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'));
const trusted = trustedDocuments(folder);

describe('The trusted documents of the console', () => {
  it('can all be executed, and are identified by the hash of the sent text', () => {
    for (const [id, text] of Object.entries(trusted)) {
      expect(id).toBe(createHash('sha256').update(text).digest('hex'));
      expect([text, validate(schema, parse(text))]).toEqual([text, []]);
    }
  });

  it('are exactly those of the sources, with fragments, and those generated from the inputs', () => {
    const texts = Object.values(trusted);
    const names = documentsIn(folder).flatMap(
      ({ text }) => /^\s*(?:query|mutation|subscription) (\w+)/.exec(text)?.[1] ?? [],
    );
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) {
      expect([
        name,
        texts.some((text) => new RegExp(`^(?:query|mutation|subscription) ${name}\\b`).test(text)),
      ]).toEqual([name, true]);
    }
    expect(texts.filter((text) => text.includes('deleteEgressIp(input: $input)'))).toHaveLength(2);
    const pages = texts.filter((text) => /^query VpcPage\b/.test(text));
    expect(pages).toHaveLength(2);
    expect(pages.every((text) => text.includes('fragment VpcRow on Vpc') && text.includes('page: vpcs('))).toBe(true);
    expect(
      texts
        .filter((text) => /^query AgentDetail\b/.test(text))
        .every((text) => text.includes('fragment Whole on Resource')),
    ).toBe(true);
  });
});
