// A linter accepts the OpenAPI documents.
import './installed.js';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/api/rest/openapi.js';
import { routes } from '../../src/server/routes.js';

const headers = { version: 'service-version', workspace: 'x-service-workspace', authorization: 'x-authorization' };
const address = { publicUrl: 'https://control-plane.test', headers, defaultVersion: '2026-04-27' };

describe('The OpenAPI document', () => {
  it.each([
    ['with pages', true],
    ['with bare arrays', false],
  ])('%s is valid, and a linter reports nothing', async (_, isPaged) => {
    const config = await createConfig({ extends: ['recommended'] });
    const source = JSON.stringify(openApiDocument(routes, address, isPaged));
    const found = await lintFromString({ source, config });
    expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });
});
