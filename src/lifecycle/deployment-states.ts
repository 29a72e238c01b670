// The states of a deployment: one table, from which come what may be reported, the documentation and its diagram.

/** States of a deployment (specification, "States and transitions"), and what each means. Callers never set one. */
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

/** Who leads from one state to another. */
type By = 'caller' | 'executor';

/** What callers do leads there from each state but the last two. */
const byCallers = { UPLOADING: 'caller', DEACTIVATING: 'caller', DELETING: 'caller' } as const;

/** Where each state leads, and by whom. An executor skips what a resource does not need, such as building a volume. */
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
  DEPLOYED: byCallers,
  FAILED: byCallers,
  DEACTIVATING: { UPLOADING: 'caller', DELETING: 'caller', DEACTIVATED: 'executor', FAILED: 'executor' },
  DEACTIVATED: { UPLOADING: 'caller', DELETING: 'caller' },
  DELETING: { TERMINATED: 'executor', FAILED: 'executor' },
  TERMINATED: {},
};

/** What an executor can be asked to do with a resource, and the states in which that begins and ends. */
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

/** Whether an executor that has come to a state may report another. The same one again says nothing new. */
export function mayReport(from: DeploymentState, to: DeploymentState): boolean {
  return deploymentTransitions[from][to] === 'executor';
}

/** Whether nothing leads on from a state by itself. */
export function isSettled(state: DeploymentState): boolean {
  return !Object.values(deploymentTransitions[state]).includes('executor');
}
