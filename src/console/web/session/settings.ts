/** The settings from the gateway: sign-in endpoints and public URL. */
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

/** The path prefix added by a proxy; empty if there is none. */
export const pathPrefix = new URL(settings.publicUrl).pathname.replace(/\/$/, '');
