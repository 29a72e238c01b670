// Inputs that several commands share.
import { z } from 'zod';
import { scopes } from '../access/scopes.js';
import { described } from './command.js';

/** Names are looked up, so what cannot be a name is simply not found. */
const someName = z.string().min(1).max(254);

export const accountName = someName;
export const workspaceName = someName;

/** Names of users are kept in lower case, those of service accounts have no other. */
export const principalName = described(
  someName.toLowerCase(),
  'PRINCIPAL',
  'A user’s email address, or the name of a service account.',
);

export const role = z.enum(['admin', 'member'], { error: 'must be admin or member' });

/** Whose a new credential is, and to what it is confined. */
export const grantInputs = {
  owner: described(principalName, 'PRINCIPAL', 'The user or service account as whom it acts, with their roles.'),
  account: described(accountName, 'ACCOUNT', 'The account to which it is confined.'),
  workspace: described(workspaceName.optional(), 'WORKSPACE', 'Confine it to this workspace of the account.'),
};

/** Scopes in one text, each once. */
export const scopeList = z
  .string()
  .transform((text) => [...new Set(text.split(/[\s,]+/).filter((scope) => scope !== ''))])
  .superRefine((names, issues) => {
    const unknown = names.filter((name) => !scopes.includes(name));
    if (names.length === 0) issues.addIssue('must name a scope, such as agents:list');
    if (unknown.length > 0) issues.addIssue(`there is no scope ${unknown.join(', ')}`);
  });
