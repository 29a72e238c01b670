// The MCP server where only trusted documents are executed.
import { writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createKey, createTenant, useApp } from '../../harness.js';
import { connectAssistant } from './assistant.js';

const trusted = 'query Known { viewer { name } }';
const file = join(mkdtempSync(join(tmpdir(), 'trusted-')), 'documents.json');
writeFileSync(file, JSON.stringify({ known: trusted }));

const running = useApp({ GRAPHQL_DOCUMENTS: 'trusted', GRAPHQL_TRUSTED_DOCUMENTS: file });

it('executes its own documents, and of other queries only those that are trusted', async () => {
  const tenant = await createTenant(running.app, { account: 'one', workspaces: ['acme'] });
  const { call } = await connectAssistant(running.app, (await createKey(running.app, tenant)).key);
  expect((await call('whoami')).isError).toBe(false);
  expect((await call('search', { text: '' })).isError).toBe(false);
  expect((await call('graphql_query', { query: trusted })).result.data.viewer.name).toBe('owner@one.example.com');
  const refused = await call('graphql_query', { query: '{ viewer { name } }' });
  expect(refused.result.error.code).toBe('document_not_trusted');
});
