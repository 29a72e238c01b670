import { expect, it } from 'vitest';
import { requireResources } from '../../../src/auth/grants/protected-resource.js';

const settings = { issuer: 'https://api.example.com/v0', audience: 'the-audience' };
const isAccepted = (resource: string, tokens = settings) => {
  try {
    requireResources(tokens, [resource], 'client');
    return true;
  } catch {
    return false;
  }
};

it.each([
  'the-audience',
  'https://api.example.com/mcp',
  'https://api.example.com/mcp/',
  'https://API.Example.COM/mcp',
  'HTTPS://api.example.com:443/mcp/',
  'https://api.example.com/graphql',
  'https://api.example.com/v0/',
  'https://api.example.com',
  'https://api.example.com/',
])('accepts %s, which is this service', (resource) => {
  expect(isAccepted(resource)).toBe(true);
});

it.each([
  '',
  'THE-AUDIENCE',
  'the-audience/',
  'https://api.example.com/MCP',
  'https://api.example.com/mcp//',
  'https://api.example.com/mcp?x=1',
  'https://api.example.com/mcp#x',
  'https://api.example.com/mcp/other',
  'https://user@api.example.com/mcp',
  'https://api.example.com:8443/mcp',
  'http://api.example.com/mcp',
  'https://api.example.com.evil.com/mcp',
  'https://api.example.com./mcp',
])('refuses %s', (resource) => {
  expect(isAccepted(resource)).toBe(false);
});

it('compares the address of a service on a port of its own', () => {
  const local = { issuer: 'http://localhost:4000/v0', audience: 'http://localhost:4000' };
  expect(isAccepted('http://LOCALHOST:4000/mcp/', local)).toBe(true);
  expect(isAccepted('http://localhost/mcp', local)).toBe(false);
});
