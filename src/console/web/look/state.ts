// What a state means to whoever looks: five tones, which an icon, a word and a colour say together.
export type Tone = 'fine' | 'moving' | 'going' | 'broken' | 'off';

export interface StateLook {
  tone: Tone;
  word: string;
}

const states = new Map<string, StateLook>([
  ['DEPLOYED', { tone: 'fine', word: 'Deployed' }],
  ['UPLOADING', { tone: 'moving', word: 'Uploading' }],
  ['BUILDING', { tone: 'moving', word: 'Building' }],
  ['BUILT', { tone: 'moving', word: 'Built' }],
  ['DEPLOYING', { tone: 'moving', word: 'Deploying' }],
  ['DEACTIVATING', { tone: 'going', word: 'Deactivating' }],
  ['DELETING', { tone: 'going', word: 'Deleting' }],
  ['FAILED', { tone: 'broken', word: 'Failed' }],
  ['DEACTIVATED', { tone: 'off', word: 'Deactivated' }],
  ['TERMINATED', { tone: 'off', word: 'Terminated' }],
  ['QUEUED', { tone: 'moving', word: 'Queued' }],
  ['PENDING', { tone: 'moving', word: 'Pending' }],
  ['RUNNING', { tone: 'moving', word: 'Running' }],
  ['SUCCEEDED', { tone: 'fine', word: 'Succeeded' }],
  ['CANCELLING', { tone: 'going', word: 'Cancelling' }],
  ['CANCELLED', { tone: 'off', word: 'Cancelled' }],
  ['TIMEOUT', { tone: 'broken', word: 'Timed out' }],
  ['HEALTHY', { tone: 'fine', word: 'Healthy' }],
  ['SILENT', { tone: 'broken', word: 'Silent' }],
  ['ACCEPTED', { tone: 'fine', word: 'Accepted' }],
  ['DECLINED', { tone: 'off', word: 'Declined' }],
  ['REVOKED', { tone: 'off', word: 'Taken back' }],
  ['EXPIRED', { tone: 'off', word: 'Ended' }],
  ['ACTIVE', { tone: 'fine', word: 'Active' }],
  ['PAUSED', { tone: 'off', word: 'Paused' }],
  ['RETRYING', { tone: 'going', word: 'Trying again' }],
  ['GIVEN_UP', { tone: 'broken', word: 'Given up' }],
  ['DELIVERED', { tone: 'fine', word: 'Taken' }],
  ['WAITING', { tone: 'moving', word: 'Waiting' }],
  ['SKIPPED', { tone: 'off', word: 'Left out' }],
]);

/** Every tone, the one to look at first in front. */
export const tones = ['broken', 'moving', 'going', 'fine', 'off'] as const satisfies readonly Tone[];

/** The deployment states of each tone, as filters take them. */
export const statusesOf = {
  broken: ['FAILED'],
  moving: ['UPLOADING', 'BUILDING', 'BUILT', 'DEPLOYING'],
  going: ['DEACTIVATING', 'DELETING'],
  fine: ['DEPLOYED'],
  off: ['DEACTIVATED', 'TERMINATED'],
} as const satisfies Record<Tone, readonly string[]>;

/** What a tone is called where things are counted. */
export const toneWords: Record<Tone, string> = {
  broken: 'failing',
  moving: 'on the way',
  going: 'going',
  fine: 'fine',
  off: 'off',
};

export function isTone(text: string): text is Tone {
  return Object.hasOwn(toneWords, text);
}

/** A state that the console does not know yet is shown by its own name. */
export function lookOf(state: string): StateLook {
  return (
    states.get(state) ?? { tone: 'off', word: state.charAt(0) + state.slice(1).toLowerCase().replaceAll('_', ' ') }
  );
}

export function toneOf(state: string | null | undefined): Tone {
  return state == null ? 'off' : lookOf(state).tone;
}
