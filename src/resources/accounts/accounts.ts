// Accounts as an operator sees them. Whoever runs these functions holds the database, so there is no
// caller to authorise: no door of the API may use them.
import type { Account } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { notFound } from '../../errors.js';
import { insertNamed } from './taken-name.js';

export interface AccountInput {
  name: string;
  displayName?: string | undefined;
  plan: string;
}

/** @throws 409 `conflict` when the name is taken. */
export async function createAccount(db: Database, input: AccountInput): Promise<Account> {
  const { name, displayName = null, plan } = input;
  return insertNamed('an account', name, () => db.account.create({ data: { name, displayName, plan } }));
}

/** All accounts, by name. */
export async function listAccounts(db: Database): Promise<Account[]> {
  return db.account.findMany({ orderBy: { name: 'asc' } });
}

/** @throws 404 `not_found` */
export async function findAccount(db: Database, name: string): Promise<Account> {
  const account = await db.account.findUnique({ where: { name } });
  if (account === null) throw notFound('account', name);
  return account;
}
