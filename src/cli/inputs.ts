// Inputs that several commands share.
import { z } from 'zod';
import { canonicalRange } from '../auth/address-range.js';
import { roles } from '../auth/caller.js';
import { knownScopes, openingScopes, scopes } from '../auth/scopes.js';
import { canonicalUserName } from '../auth/user-name.js';
import { described } from './command.js';

/** Names are looked up, so what cannot be a name is simply not found. */
const someName = z.string().min(1).max(254);

export const accountName = someName;
export const workspaceName = someName;

/** The name of a user or service account, in the form in which it is kept. */
export const storedName = z.string().transform((typed, issues) => {
  const name = canonicalUserName(typed);
  if (name === undefined) issues.addIssue('is not the name of a user or service account');
  return name ?? z.NEVER;
});

export const principalName = described(
  storedName,
  'PRINCIPAL',
  'A user’s email address, or the name of a service account.',
);

export const role = z.enum(roles, { error: 'must be admin, member or viewer' });

/** Whose a new credential is, and to what it is confined. */
export const grantInputs = {
  owner: described(principalName, 'PRINCIPAL', 'The user or service account as whom it acts, with their roles.'),
  account: described(accountName, 'ACCOUNT', 'The account to which it is confined.'),
  workspace: described(workspaceName.optional(), 'WORKSPACE', 'Confine it to this workspace of the account.'),
};

/** Ranges of addresses in one text, each once. */
export const addressRangeList = z.string().transform((text, issues) => {
  const given = text.split(/[\s,]+/).filter((range) => range !== '');
  const wrong = given.find((range) => canonicalRange(range) === undefined);
  if (given.length === 0 || wrong !== undefined) issues.addIssue(`${wrong ?? 'nothing'} is no range of addresses`);
  return [...new Set(given.flatMap((range) => canonicalRange(range) ?? []))];
});

/** Scopes in one text, each once. */
export const scopeList = scopeListOf(scopes).superRefine((names, issues) => {
  const absent = names.filter((name) => !openingScopes.includes(name));
  if (absent.length > 0) issues.addIssue(`${absent.join(', ')} opens nothing in this service`);
});

/** The same for a client, which may also ask who its users are. */
export const clientScopeList = scopeListOf(knownScopes);

function scopeListOf(known: readonly string[]) {
  return z
    .string()
    .transform((text) => [...new Set(text.split(/[\s,]+/).filter((scope) => scope !== ''))])
    .superRefine((names, issues) => {
      const unknown = names.filter((name) => !known.includes(name));
      if (names.length === 0) issues.addIssue('must name a scope, such as agents:list');
      if (unknown.length > 0) issues.addIssue(`there is no scope ${unknown.join(', ')}`);
    });
}
