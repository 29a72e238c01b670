/** What the gateway tells its console: where to sign in, and how this service is reached. */
export interface Settings {
  authorize: string;
  token: string;
  revoke: string;
  issuer: string;
  clientId: string;
  redirectUri: string;
  publicUrl: string;
  workspaceHeader: string;
}

function readSettings(): Settings {
  const element = document.querySelector<HTMLMetaElement>('meta[name=settings]');
  return JSON.parse(element?.content ?? '{}');
}

export const settings = readSettings();

/** The path in front of every address of ours, when a proxy adds one; else empty. */
export const pathPrefix = new URL(settings.publicUrl).pathname.replace(/\/$/, '');
