/** The id of the provider of the settings SIGN_IN_…, which has no domains of its own. */
export const defaultProviderId = 'default';

/** Where a provider sends people back to, below the issuer; it is registered there. */
export function callbackPath({ id }: { id: string }): string {
  return `/oauth/provider-callback${id === defaultProviderId ? '' : `/${id}`}`;
}
