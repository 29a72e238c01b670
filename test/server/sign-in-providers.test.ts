// The file SIGN_IN_PROVIDERS: its defaults, and a line for each broken rule.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.js';
import { readSignInProviders } from '../../src/server/sign-in-providers.js';

const folder = mkdtempSync(join(tmpdir(), 'control-plane-providers-'));
const path = join(folder, 'providers.json');
const ownIssuer = 'https://api.example.com/v0';

afterAll(() => rmSync(folder, { recursive: true }));

const acme = {
  id: 'acme',
  name: 'Acme Login',
  issuer: 'https://login.acme.example',
  clientId: 'control-plane',
  clientSecret: 'hunter2',
  domains: ['acme.example'],
};
const globex = { ...acme, id: 'globex', issuer: 'https://login.globex.example', domains: ['globex.example'] };

function read(content: string, environment: Record<string, string> = {}) {
  writeFileSync(path, content);
  return readSignInProviders(readConfig({ SIGN_IN_PROVIDERS: path, ...environment }), ownIssuer);
}

/** The lines of the error of a file, without the setting and the path, which each of them has. */
function problemsOf(content: string, environment: Record<string, string> = {}): string[] {
  try {
    read(content, environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').map((line) => line.replace(`SIGN_IN_PROVIDERS: ${path}: `, ''));
  }
}

describe('SIGN_IN_PROVIDERS', () => {
  it('has defaults for the optional fields', () => {
    expect(read(JSON.stringify([acme, { ...globex, createUsers: true }]))).toEqual([
      {
        ...acme,
        scope: 'openid email',
        userClaim: 'email',
        groupsClaim: 'groups',
        accounts: [],
        createsUsersOf: [],
      },
      expect.objectContaining({ id: 'globex', createsUsersOf: ['globex.example'] }),
    ]);
  });

  it('follows the provider of SIGN_IN_ISSUER', () => {
    const issuer = { SIGN_IN_ISSUER: 'https://login.example.com', SIGN_IN_CLIENT_ID: 'x' };
    expect(read(JSON.stringify([acme]), issuer).map(({ id }) => id)).toEqual(['default', 'acme']);
  });

  it.each<[object, string]>([
    [{ id: 'Acme' }, '0.id must be 1 to 32 lowercase letters, digits and hyphens'],
    [{ id: 'a/b' }, '0.id must be 1 to 32 lowercase letters, digits and hyphens'],
    [{ id: undefined }, '0.id must be 1 to 32 lowercase letters, digits and hyphens'],
    [{ id: 'default' }, '0.id must not be default, which is the provider of SIGN_IN_ISSUER'],
    [{ issuer: 'login' }, '0.issuer must be an https:// URL (http:// is allowed for localhost only)'],
    [
      { issuer: 'http://login.acme.example' },
      '0.issuer must be an https:// URL (http:// is allowed for localhost only)',
    ],
    [{ clientId: '' }, '0.clientId must be a string that is not empty'],
    [{ clientId: undefined }, '0.clientId must be a string that is not empty'],
    [{ clientSecret: '' }, '0.clientSecret must be a string that is not empty'],
    [{ clientSecret: ['hunter2'] }, '0.clientSecret must be a string that is not empty'],
    [{ name: ' ' }, '0.name must be a string of 1 to 40 characters'],
    [{ name: 'x'.repeat(41) }, '0.name must be a string of 1 to 40 characters'],
    [{ scope: 'email' }, '0.scope must be scopes separated by spaces, and must include openid'],
    [{ scope: ['openid'] }, '0.scope must be scopes separated by spaces, and must include openid'],
    [{ userClaim: '' }, '0.userClaim must be a string that is not empty'],
    [{ groupsClaim: 1 }, '0.groupsClaim must be a string that is not empty'],
    [{ domains: undefined }, '0.domains must be a list of at least one domain'],
    [{ domains: [] }, '0.domains must be a list of at least one domain'],
    [{ domains: ['Acme.example'] }, '0.domains.0 must be a domain in lower case, such as example.com'],
    [{ domains: ['acme.example', '@acme'] }, '0.domains.1 must be a domain in lower case, such as example.com'],
    [{ createUsers: 'yes' }, '0.createUsers must be true or false'],
    [{ accounts: 'acme' }, '0.accounts must be a list of account names'],
    [{ accounts: [''] }, '0.accounts.0 must be a string that is not empty'],
    [{ secret: 'hunter2' }, '0 has the unknown field secret'],
  ])('rejects %j', (broken, problem) => {
    expect(problemsOf(JSON.stringify([{ ...acme, ...broken }]))).toEqual([problem]);
  });

  it('lists every broken rule, each in a line', () => {
    expect(problemsOf(JSON.stringify([acme, { ...globex, id: '', name: '' }]))).toEqual([
      '1.id must be 1 to 32 lowercase letters, digits and hyphens',
      '1.name must be a string of 1 to 40 characters',
    ]);
  });

  it.each([
    ['{"hunter2"', `SIGN_IN_PROVIDERS: cannot read ${path}: it is not valid JSON`],
    [JSON.stringify(acme), 'must be a list of at least one provider'],
    ['[]', 'must be a list of at least one provider'],
    ['["acme"]', '0 must be an object'],
  ])('rejects the content %s', (content, problem) => {
    expect(problemsOf(content)).toEqual([problem]);
  });

  it('rejects a file that does not exist', () => {
    const config = readConfig({ SIGN_IN_PROVIDERS: join(folder, 'absent.json') });
    expect(() => readSignInProviders(config, ownIssuer)).toThrow(
      /^SIGN_IN_PROVIDERS: cannot read .*absent\.json: ENOENT/,
    );
  });

  it.each<[object, string]>([
    [{ id: 'acme' }, 'SIGN_IN_PROVIDERS: two providers have the id acme'],
    [{ issuer: acme.issuer }, `SIGN_IN_PROVIDERS: two providers have the issuer ${acme.issuer}`],
    [{ domains: ['globex.example', 'acme.example'] }, 'SIGN_IN_PROVIDERS: two providers have the domain acme.example'],
    [{ issuer: ownIssuer }, 'SIGN_IN_PROVIDERS: the issuer of globex: must not be this service'],
  ])('rejects a second provider with %j', (same, problem) => {
    expect(problemsOf(JSON.stringify([acme, { ...globex, ...same }]))).toEqual([problem]);
  });

  it('rejects conflicts with the provider of SIGN_IN_ISSUER', () => {
    const list = JSON.stringify([acme]);
    const issuer = (SIGN_IN_ISSUER: string) => ({ SIGN_IN_ISSUER, SIGN_IN_CLIENT_ID: 'x' });
    expect(problemsOf(list, issuer(ownIssuer))).toEqual(['SIGN_IN_ISSUER: must not be this service']);
    expect(problemsOf(list, issuer(acme.issuer))).toEqual([
      `SIGN_IN_PROVIDERS: two providers have the issuer ${acme.issuer}`,
    ]);
    const creates = { ...issuer('https://login.example.com'), SIGN_IN_CREATE_USERS_OF: 'acme.example' };
    expect(problemsOf(list, creates)).toEqual([
      'SIGN_IN_CREATE_USERS_OF: acme.example belongs to a provider of SIGN_IN_PROVIDERS',
    ]);
  });
});
