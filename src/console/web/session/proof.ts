// Proof Key for Code Exchange (RFC 7636).

export interface Proof {
  state: string;
  verifier: string;
  challenge: string;
}

export async function makeProof(): Promise<Proof> {
  const verifier = random();
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return { state: random(), verifier, challenge: base64url(new Uint8Array(digest)) };
}

function random(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
