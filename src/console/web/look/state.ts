// Groups states into five tones. Each tone has an icon, a label and a colour.
export type Tone = 'healthy' | 'in-progress' | 'stopping' | 'failed' | 'inactive';

export interface StateLook {
  tone: Tone;
  word: string;
}

const states = new Map<string, StateLook>([
  ['DEPLOYED', { tone: 'healthy', word: 'Deployed' }],
  ['UPLOADING', { tone: 'in-progress', word: 'Uploading' }],
  ['BUILDING', { tone: 'in-progress', word: 'Building' }],
  ['BUILT', { tone: 'in-progress', word: 'Built' }],
  ['DEPLOYING', { tone: 'in-progress', word: 'Deploying' }],
  ['DEACTIVATING', { tone: 'stopping', word: 'Deactivating' }],
  ['DELETING', { tone: 'stopping', word: 'Deleting' }],
  ['FAILED', { tone: 'failed', word: 'Failed' }],
  ['DEACTIVATED', { tone: 'inactive', word: 'Deactivated' }],
  ['TERMINATED', { tone: 'inactive', word: 'Terminated' }],
  ['QUEUED', { tone: 'in-progress', word: 'Queued' }],
  ['PENDING', { tone: 'in-progress', word: 'Pending' }],
  ['RUNNING', { tone: 'in-progress', word: 'Running' }],
  ['SUCCEEDED', { tone: 'healthy', word: 'Succeeded' }],
  ['CANCELLING', { tone: 'stopping', word: 'Cancelling' }],
  ['CANCELLED', { tone: 'inactive', word: 'Cancelled' }],
  ['TIMEOUT', { tone: 'failed', word: 'Timed out' }],
  ['HEALTHY', { tone: 'healthy', word: 'Healthy' }],
  ['SILENT', { tone: 'failed', word: 'Silent' }],
  ['ACCEPTED', { tone: 'healthy', word: 'Accepted' }],
  ['DECLINED', { tone: 'inactive', word: 'Declined' }],
  ['REVOKED', { tone: 'inactive', word: 'Revoked' }],
  ['EXPIRED', { tone: 'inactive', word: 'Expired' }],
  ['ACTIVE', { tone: 'healthy', word: 'Active' }],
  ['PAUSED', { tone: 'inactive', word: 'Paused' }],
  ['RETRYING', { tone: 'stopping', word: 'Retrying' }],
  ['SUSPENDED', { tone: 'failed', word: 'Suspended' }],
  ['DELIVERED', { tone: 'healthy', word: 'Delivered' }],
  ['WAITING', { tone: 'in-progress', word: 'Waiting' }],
  ['CONFIGURED', { tone: 'healthy', word: 'Configured' }],
  ['SKIPPED', { tone: 'inactive', word: 'Skipped' }],
]);

/** All tones, the most urgent first. */
export const tones = ['failed', 'in-progress', 'stopping', 'healthy', 'inactive'] as const satisfies readonly Tone[];

/** The deployment states of each tone, as filters take them. */
export const statusesOf = {
  failed: ['FAILED'],
  'in-progress': ['UPLOADING', 'BUILDING', 'BUILT', 'DEPLOYING'],
  stopping: ['DEACTIVATING', 'DELETING'],
  healthy: ['DEPLOYED'],
  inactive: ['DEACTIVATED', 'TERMINATED'],
} as const satisfies Record<Tone, readonly string[]>;

/** The label of each tone. */
export const toneLabels: Record<Tone, string> = {
  failed: 'Failed',
  'in-progress': 'In progress',
  stopping: 'Stopping',
  healthy: 'Healthy',
  inactive: 'Inactive',
};

export function isTone(text: string): text is Tone {
  return Object.hasOwn(toneLabels, text);
}

/** Returns the tone and label of a state. Unknown states are shown under their own name. */
export function lookOf(state: string): StateLook {
  return (
    states.get(state) ?? { tone: 'inactive', word: state.charAt(0) + state.slice(1).toLowerCase().replaceAll('_', ' ') }
  );
}

export function toneOf(state: string | null | undefined): Tone {
  return state == null ? 'inactive' : lookOf(state).tone;
}
