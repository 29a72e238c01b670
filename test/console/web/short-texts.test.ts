// Texts that the console shortens where there is no room for all of them.
import { expect, it } from 'vitest';
import { scopesSummary } from '../../../src/console/web/access/purposes.js';
import { shortUrl } from '../../../src/console/web/look/short-url.js';

it('shortens an endpoint to its host and the last segment of its path', () => {
  expect(shortUrl('https://api.example.com/inference/production/agents/triage')).toBe('api.example.com/…/triage');
  expect(shortUrl('https://api.example.com/triage')).toBe('api.example.com/triage');
  expect(shortUrl('http://localhost:4000/')).toBe('localhost:4000');
  expect(shortUrl('https://gateway.eu-frankfurt-1.workloads.example.com/a/b')).toBe(
    'gateway.eu-frank…ads.example.com/…/b',
  );
  expect(shortUrl('pending')).toBe('pending');
});

it('names the purpose of scopes, else the first two and the number of the others', () => {
  expect(scopesSummary(['admin'])).toBe('All permissions');
  expect(scopesSummary(['metrics:read'])).toBe('Read costs');
  expect(scopesSummary(['usage:correct', 'metrics:read'])).toBe('Correct usage');
  expect(scopesSummary(['agents:get', 'agents:list', 'jobs:get', 'jobs:list'])).toBe('agents:get, agents:list +2');
  expect(scopesSummary(['agents:get', 'agents:list', 'jobs:get'])).toBe('agents:get, agents:list, jobs:get');
});
