import { CSPProvider } from '@base-ui/react/csp-provider';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import type { ReactElement } from 'react';
import { Provider } from 'urql';
import { client } from '../api/client.js';
import { signIn } from '../session/session.js';
import { pathPrefix } from '../session/settings.js';
import { useSession } from '../session/use-session.js';
import { router } from './router.js';
import './console.css';

/** The whole page: the sign-in state, or the frame with its views if the user is signed in. */
export function Console(): ReactElement {
  const session = useSession();
  if (session.kind === 'starting') return <main className="gate" aria-busy="true" aria-label="Signing in" />;
  if (session.kind === 'denied') {
    return (
      <main className="gate">
        <h1>No access yet</h1>
        <p className="quiet">{session.reason} An admin of an account can invite you.</p>
        <a className="button primary" href={`${pathPrefix}/v0/oauth/account`}>
          Invitations and sign-out
        </a>
        <button type="button" className="button" onClick={() => void signIn()}>
          Try again
        </button>
      </main>
    );
  }
  if (session.kind !== 'signed-in' && session.kind !== 'paused') {
    return (
      <main className="gate">
        <h1>{session.kind === 'failed' ? 'Sign-in failed' : 'Signed out'}</h1>
        <p className="quiet">{session.reason}</p>
        <button type="button" className="button primary" onClick={() => void signIn()}>
          {session.kind === 'failed' ? 'Try again' : 'Sign in'}
        </button>
      </main>
    );
  }
  return (
    <StrictMode>
      <CSPProvider disableStyleElements>
        <Provider value={client}>
          <RouterProvider router={router} />
        </Provider>
      </CSPProvider>
    </StrictMode>
  );
}
