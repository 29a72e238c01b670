// `redeploy KIND NAME` deploys a resource again.
import { applyKindOf, applyKinds } from '../manifests/apply-kind.js';
import { redeploy } from '../manifests/change-resources.js';
import { UsageError } from './command.js';
import { option } from './gateway-command.js';
import type { GatewayCommand } from './gateway-command.js';

const kinds = applyKinds.filter(({ hasStatus }) => hasStatus === true);

export const redeployCommand: GatewayCommand = {
  name: 'redeploy',
  summary: 'Deploy a resource again without a change: after a failure, or to restart it.',
  arguments: [
    {
      flag: 'kind',
      placeholder: 'KIND',
      description: `Resource kind: ${kinds.map(({ name }) => name).join(', ')}.`,
      isRequired: true,
      values: kinds.map(({ name }) => name),
    },
    { flag: 'name', placeholder: 'NAME', description: 'Name of the resource.', isRequired: true },
  ],
  options: [
    { flag: 'workspace', placeholder: 'WORKSPACE', description: 'Workspace of the resource.', isRequired: true },
    option('vpc', 'NAME', 'VPC of an egress gateway.'),
  ],
  run: async ({ gateway }, given) => {
    const kind = applyKindOf(given.text('kind') ?? '');
    if (kind?.hasStatus !== true) {
      throw new UsageError(`KIND: must be one of: ${kinds.map(({ name }) => name).join(', ')}`);
    }
    const workspace = given.text('workspace');
    if (workspace === undefined) throw new UsageError('"redeploy" requires --workspace WORKSPACE');
    const vpc = given.text('vpc');
    if (kind.parents.length > 0 && vpc === undefined)
      throw new UsageError(`"redeploy ${kind.name}" requires --vpc NAME`);
    const parents = kind.parents.length > 0 && vpc !== undefined ? [vpc] : [];
    const name = given.text('name') ?? '';
    const changed = await redeploy(gateway, { kind, workspace, parents, name });
    if ('refusal' in changed) throw new Error(changed.refusal.problems.map(({ message }) => message).join(' '));
    const { status } = changed.resource;
    return {
      stdout: `${kind.name} ${[workspace, ...parents, name].join('/')} is ${status}.\n`,
      stderr: '',
      exitCode: 0,
    };
  },
};
