// The states of a deployment: one table for reports, the documentation and its diagram.

/** States of a deployment (specification, "States and transitions"). Callers never set one. */
export const deploymentStates = {
  DELETING: 'The resource is being deleted.',
  TERMINATED: 'The resource has ended and will not start again.',
  FAILED: 'The last build or deployment failed.',
  DEACTIVATED: 'The resource is switched off.',
  DEACTIVATING: 'The resource is being switched off.',
  UPLOADING: 'The source is being uploaded.',
  BUILDING: 'The image is being built.',
  DEPLOYING: 'The new revision is being rolled out.',
  DEPLOYED: 'The resource is running.',
  BUILT: 'The image is built and not deployed yet.',
} as const;

export type DeploymentState = keyof typeof deploymentStates;

/** The actor of a transition; `observer` is the executor that deployed the resource, after the end of its assignment. */
type By = 'caller' | 'executor' | 'observer';

/** Transitions that callers cause in each state except DELETING and TERMINATED. */
const byCallers = { UPLOADING: 'caller', DEACTIVATING: 'caller', DELETING: 'caller' } as const;

/** The allowed transitions of each state, with the actor of each. Executors skip states that do not apply. */
export const deploymentTransitions: Record<DeploymentState, Partial<Record<DeploymentState, By>>> = {
  UPLOADING: {
    ...byCallers,
    BUILDING: 'executor',
    BUILT: 'executor',
    DEPLOYING: 'executor',
    DEPLOYED: 'executor',
    FAILED: 'executor',
  },
  BUILDING: { ...byCallers, BUILT: 'executor', DEPLOYING: 'executor', DEPLOYED: 'executor', FAILED: 'executor' },
  BUILT: { ...byCallers, DEPLOYING: 'executor', DEPLOYED: 'executor', FAILED: 'executor' },
  DEPLOYING: { ...byCallers, DEPLOYED: 'executor', FAILED: 'executor' },
  DEPLOYED: { ...byCallers, FAILED: 'observer' },
  FAILED: { ...byCallers, DEPLOYED: 'observer' },
  DEACTIVATING: { UPLOADING: 'caller', DELETING: 'caller', DEACTIVATED: 'executor', FAILED: 'executor' },
  DEACTIVATED: { UPLOADING: 'caller', DELETING: 'caller' },
  DELETING: { TERMINATED: 'executor', FAILED: 'executor' },
  TERMINATED: {},
};

/** The work that executors do for a resource, with its first and last state. */
export const deploymentWork = {
  deploy: {
    begins: 'UPLOADING',
    ends: 'DEPLOYED',
    description: 'Deploy the desired state, whatever was deployed before.',
  },
  deactivate: {
    begins: 'DEACTIVATING',
    ends: 'DEACTIVATED',
    description: 'Deactivate the resource and keep its contents.',
  },
  delete: { begins: 'DELETING', ends: 'TERMINATED', description: 'Delete the resource with all its contents.' },
} as const satisfies Record<string, { begins: DeploymentState; ends: DeploymentState; description: string }>;

export type DeploymentWork = keyof typeof deploymentWork;

export function isDeploymentState(word: string): word is DeploymentState {
  return Object.hasOwn(deploymentStates, word);
}

/** Returns whether an executor can report a state after another. Reporting the same state again has no effect. */
export function mayReport(from: DeploymentState, to: DeploymentState): boolean {
  return deploymentTransitions[from][to] === 'executor';
}

/** States that executors observe of a resource after they deployed it. */
export const observedStates = {
  DEPLOYED: deploymentStates.DEPLOYED,
  FAILED: 'The resource has stopped running.',
} as const;

export type ObservedState = keyof typeof observedStates;

/** Returns whether an executor has nothing more to do in a state. */
export function isSettled(state: DeploymentState): boolean {
  return !Object.values(deploymentTransitions[state]).includes('executor');
}
