// Groups states into five tones. Each tone has an icon, a label and a colour.
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
  ['REVOKED', { tone: 'off', word: 'Revoked' }],
  ['EXPIRED', { tone: 'off', word: 'Expired' }],
  ['ACTIVE', { tone: 'fine', word: 'Active' }],
  ['PAUSED', { tone: 'off', word: 'Paused' }],
  ['RETRYING', { tone: 'going', word: 'Retrying' }],
  ['SUSPENDED', { tone: 'broken', word: 'Suspended' }],
  ['DELIVERED', { tone: 'fine', word: 'Delivered' }],
  ['WAITING', { tone: 'moving', word: 'Waiting' }],
  ['SKIPPED', { tone: 'off', word: 'Skipped' }],
]);

/** All tones, the most urgent first. */
export const tones = ['broken', 'moving', 'going', 'fine', 'off'] as const satisfies readonly Tone[];

/** The deployment states of each tone, as filters take them. */
export const statusesOf = {
  broken: ['FAILED'],
  moving: ['UPLOADING', 'BUILDING', 'BUILT', 'DEPLOYING'],
  going: ['DEACTIVATING', 'DELETING'],
  fine: ['DEPLOYED'],
  off: ['DEACTIVATED', 'TERMINATED'],
} as const satisfies Record<Tone, readonly string[]>;

/** The label of each tone. */
export const toneLabels: Record<Tone, string> = {
  broken: 'Failed',
  moving: 'In progress',
  going: 'Stopping',
  fine: 'Healthy',
  off: 'Inactive',
};

/** The tone as it precedes a plural, such as "in-progress" in "3 in-progress agents". */
export function toneAdjective(tone: Tone): string {
  return toneLabels[tone].toLowerCase().replace(' ', '-');
}

export function isTone(text: string): text is Tone {
  return Object.hasOwn(toneLabels, text);
}

/** Returns the tone and label of a state. Unknown states are shown under their own name. */
export function lookOf(state: string): StateLook {
  return (
    states.get(state) ?? { tone: 'off', word: state.charAt(0) + state.slice(1).toLowerCase().replaceAll('_', ' ') }
  );
}

export function toneOf(state: string | null | undefined): Tone {
  return state == null ? 'off' : lookOf(state).tone;
}
