interface Owned {
  principal: { name: string };
  account: { name: string };
  workspace: { name: string } | null;
}

/** The owner and the tenant of a credential, as cells of a table. */
export function ownerAndTenant(credential: Owned): { owner: string; account: string; workspace: string | null } {
  const { principal, account, workspace } = credential;
  return { owner: principal.name, account: account.name, workspace: workspace?.name ?? null };
}
