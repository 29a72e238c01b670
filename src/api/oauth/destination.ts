// The page to return to after a sign-in, sign-out or consent. It is in the URL of each page and form, so the server
// stores nothing between them.

export interface Destination {
  /** The page that they go on to. */
  page: 'authorize' | 'device' | 'account';
  /** The query of that page, and of its forms. */
  query: string;
  /** The program that brought them here, if one did. */
  client?: { id: string; displayName: string };
  /** Allowed redirect targets in addition to this service. */
  formTarget?: string;
  /** The user name to prefill. */
  loginHint?: string | undefined;
}

/** The path of a form of a page, without its query. */
export function formAction({ page }: Destination, form: 'sign-in' | 'sign-out' | 'consent' | 'provider'): string {
  return page === 'authorize' ? form : `${page}-${form}`;
}
