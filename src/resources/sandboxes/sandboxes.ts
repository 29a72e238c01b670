import { workspaceResources } from '../authorized-list.js';
import { specifiedKind } from '../resource-row.js';
import { sandboxFromRow } from './sandbox.js';

export const {
  list: listSandboxes,
  get: getSandbox,
  find: findSandboxes,
} = workspaceResources(specifiedKind('sandbox', 'sandbox', sandboxFromRow), {
  list: 'sandboxes:list',
  get: 'sandboxes:get',
});
