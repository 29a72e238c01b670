import { describe, expect, it } from 'vitest';
import { isRegisteredRedirectUri, redirectUriProblem } from '../../../src/auth/grants/redirect-uri.js';

describe('A redirect URI to register', () => {
  it.each([
    'https://app.example.com/callback',
    'https://app.example.com/callback?tenant=1',
    'http://localhost:3000/callback',
    'http://127.0.0.1/callback',
    'http://[::1]/callback',
    'com.example.app:/callback',
  ])('can be %s', (uri) => {
    expect(redirectUriProblem(uri)).toBeUndefined();
  });

  it.each([
    'callback',
    '//app.example.com/callback',
    'http://app.example.com/callback',
    'http://127.0.0.1.example.com/callback',
    'https://app.example.com/callback#x',
    'https://app.example.com/callback#',
    'https://user@app.example.com/callback',
    'https://app.example.com\\@evil.example.com/',
    'https://app.example.com/a b',
    'https://app.example.com:99999/callback',
    'http://127.0.0.1:99999/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'app:/callback',
    'https://app.example.com/\uD800',
  ])('cannot be %s', (uri) => {
    expect(redirectUriProblem(uri)).toEqual(expect.any(String));
  });
});

describe('A registered redirect URI', () => {
  const registered = [
    'https://app.example.com/callback',
    'http://127.0.0.1/done',
    'http://[::1]',
    'http://localhost/done',
  ];

  it.each([...registered, 'http://127.0.0.1:51004/done', 'http://127.0.0.1:65535/done', 'http://[::1]:8080'])(
    'accepts %s',
    (uri) => {
      expect(isRegisteredRedirectUri(registered, uri)).toBe(true);
    },
  );

  it.each([
    'https://app.example.com/callback/',
    'https://app.example.com/callbac',
    'https://app.example.com/callback?',
    'https://APP.example.com/callback',
    'https://app.example.com:443/callback',
    'http://app.example.com/callback',
    'http://127.0.0.1:51004/other',
    'http://127.0.0.1:51004/x/done',
    'http://127.0.0.1:51004@evil.example.com/done',
    'http://127.0.0.1:/done',
    'http://127.0.0.1:0/done',
    'http://127.0.0.1:080/done',
    'http://127.0.0.1:65536/done',
    'http://127.0.0.1:99999/done',
    'http://127.0.0.1.example.com/done',
    'http://[::1]:8080/done',
    'http://localhost:51004/done',
    'https://127.0.0.1:51004/done',
  ])('does not accept %s', (uri) => {
    expect(isRegisteredRedirectUri(registered, uri)).toBe(false);
  });
});
