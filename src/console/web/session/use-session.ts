import { useSyncExternalStore } from 'react';
import { onSessionChange, sessionState } from './session.js';
import type { SessionState } from './session.js';

export function useSession(): SessionState {
  return useSyncExternalStore(onSessionChange, sessionState);
}
