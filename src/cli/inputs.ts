// Inputs that several commands share.
import { z } from 'zod';
import { canonicalRange } from '../auth/address-range.js';
import { roles } from '../auth/caller.js';
import { apiKeyScopes, knownScopes, openingScopes, scopes } from '../auth/scopes.js';
import { canonicalUserName } from '../auth/user-name.js';
import { dateOrTimeText } from '../schema/time.js';
import { described } from './command.js';
import { wordsIn } from '../config/setting-forms.js';

/** An invalid name is not an error here: it is not found. */
const someName = z.string().min(1).max(254);

export const accountName = someName;
export const workspaceName = someName;

/** The name of a user or service account, in its stored form. */
export const storedName = z.string().transform((typed, issues) => {
  const name = canonicalUserName(typed);
  if (name === undefined) issues.addIssue('must be the name of a user or service account');
  return name ?? z.NEVER;
});

export const principalName = described(
  storedName,
  'PRINCIPAL',
  'Email address of a user, or name of a service account.',
);

export const role = z.enum(roles, { error: 'must be admin, member or viewer' });

/** The owner of a new credential, and its scope of access. */
export const grantInputs = {
  owner: described(principalName, 'PRINCIPAL', 'User or service account that the credential acts as.'),
  account: described(accountName, 'ACCOUNT', 'Account that the credential is restricted to.'),
  workspace: described(
    workspaceName.optional(),
    'WORKSPACE',
    'Workspace that the credential is restricted to. Default: the whole account.',
  ),
};

/** A time. A date means its start in UTC. */
export const time = z.string().transform((typed, issues) => {
  const { data: text } = dateOrTimeText.safeParse(typed);
  if (text === undefined) issues.addIssue('must be a date such as 2026-10-01, or a time such as 2026-10-01T09:00:00Z');
  return text ?? z.NEVER;
});

/** Conditions on labels: `team=care,env` has the label team with the value care, and the label env with any value. */
export const labelFilters = z.string().transform((text, issues) => {
  const filters = new Map<string, { key: string; in?: string[] }>();
  for (const part of text.split(',')) {
    const [key = '', ...rest] = part.split('=');
    if (key === '') {
      issues.addIssue('must be labels such as team=care,env=prod');
      return z.NEVER;
    }
    const known = filters.get(key);
    const hasValue = rest.length > 0;
    if (known !== undefined && (known.in !== undefined) !== hasValue) {
      issues.addIssue(`must have ${key} either with values or without`);
      return z.NEVER;
    }
    filters.set(key, hasValue ? { key, in: [...(known?.in ?? []), rest.join('=')] } : { key });
  }
  return [...filters.values()];
});

/** Whether CSV has texts unchanged. */
export const rawCsv = described(
  z.enum(['yes', 'no'], { error: 'must be yes or no' }).optional(),
  'yes|no',
  'Write texts in CSV unchanged: yes or no. Default: no, so a text that a spreadsheet would run as a formula gets an ' +
    'apostrophe in front.',
);

/** A list of address ranges without duplicates. */
export const addressRangeList = z.string().transform((text, issues) => {
  const ranges = wordsIn(text);
  const wrong = ranges.find((range) => canonicalRange(range) === undefined);
  if (ranges.length === 0 || wrong !== undefined)
    issues.addIssue(`${wrong ?? 'an empty value'} is not an address range such as 203.0.113.0/24`);
  return [...new Set(ranges.flatMap((range) => canonicalRange(range) ?? []))];
});

/** A list of scopes without duplicates. */
export const scopeList = effectiveScopeListOf(openingScopes);

/** The scopes of an API key. */
export const apiKeyScopeList = effectiveScopeListOf(apiKeyScopes);

function effectiveScopeListOf(effective: readonly string[]) {
  return scopeListOf([...scopes, ...effective]).superRefine((names, issues) => {
    const absent = names.filter((name) => !effective.includes(name));
    if (absent.length > 0) issues.addIssue(`no operation of this service uses ${absent.join(', ')}`);
  });
}

/** The scopes of a client, which also include those of OpenID Connect. */
export const clientScopeList = scopeListOf(knownScopes);

function scopeListOf(known: readonly string[]) {
  return z
    .string()
    .transform((text) => [...new Set(wordsIn(text))])
    .superRefine((names, issues) => {
      const unknown = names.filter((name) => !known.includes(name));
      if (names.length === 0) issues.addIssue('must contain at least one scope, such as agents:list');
      if (unknown.length > 0) issues.addIssue(`unknown scope ${unknown.join(', ')}`);
    });
}
