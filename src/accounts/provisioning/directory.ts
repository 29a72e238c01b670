// The identity provider that provisions the users of an account (SCIM), and which users it may have.
import { authorizeOwnAccount, requireAccountAdmin } from '../../auth/authorize.js';
import type { AuthorizedAccount } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { lockMembers } from '../../auth/membership.js';
import { runInTransaction } from '../../auth/run-in-transaction.js';
import { provisioningScope } from '../../auth/scopes.js';
import { emailDomain, isPlainAddress } from '../../auth/sign-in/email-domain.js';
import { canonicalUserName } from '../../auth/user-name.js';
import { forbidden, invalidParameter } from '../../errors.js';

/** Authorization for the provisioned users and groups of an account. */
export interface Directory {
  within: AuthorizedAccount;
  /** The email domains of its users. */
  domains: readonly string[];
}

/**
 * Authorizes an identity provider. Its credential is an API key of a service account: the key of a user would end with that
 * user.
 *
 * @throws 403 without the scope `scim`, which `admin` does not include; unless the caller is a service account and an admin
 * of the account; and if SCIM_DOMAINS has no domain of the account.
 */
export function authorizeDirectory(ctx: RequestContext): Directory {
  const authorized = authorizeOwnAccount(ctx, provisioningScope);
  const { account, caller } = authorized;
  requireAccountAdmin(authorized, 'can provision users');
  if (caller.principal.kind !== 'service_account') {
    throw forbidden('Users are provisioned with an API key of a service account, not with the key of a user.');
  }
  const domains = ctx.provisionedDomains?.get(account.name);
  if (domains === undefined)
    throw forbidden('Users of this account are not provisioned. Its operator sets SCIM_DOMAINS.');
  return { within: authorized, domains };
}

/** Runs a change of the directory in a transaction, in which the members of the account are locked. */
export function changeDirectory<Result>(
  { within: authorized, domains }: Directory,
  act: (directory: Directory) => Promise<Result>,
): Promise<Result> {
  return runInTransaction<AuthorizedAccount, Result>(authorized, false, async (within) => {
    await lockMembers(await within.db.$prisma(), within.account.id);
    return act({ within, domains });
  });
}

/**
 * The name of a user, in its canonical form.
 *
 * @throws 400 `invalid_parameter` unless it is an email address of a domain of the directory.
 */
export function requireUserName({ domains }: Pick<Directory, 'domains'>, userName: string): string {
  const name = canonicalUserName(userName);
  if (name !== undefined && isPlainAddress(userName) && domains.includes(emailDomain(name) ?? '')) return name;
  const shown = domains.slice(0, 10).join(', ');
  throw invalidParameter('userName', `must be an email address of one of these domains: ${shown}`);
}
