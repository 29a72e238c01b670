import { z } from 'zod';
import { noParameters } from '../../rest/input.js';
import { route } from '../../rest/route.js';
import type { Route } from '../../rest/route.js';
import { timestamp } from '../resource.js';
import { listAllReachableAccounts } from './reachable.js';

const account = z
  .object({
    id: z.string(),
    name: z.string(),
    displayName: z.string().optional(),
    plan: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Account' });

export const accountRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/accounts',
    operation: 'ListAccounts',
    summary: 'The accounts that the caller belongs to, as far as the credential reaches.',
    scope: 'admin',
    isInWorkspace: false,
    parameters: noParameters,
    query: noParameters,
    body: z.array(account),
    errors: [],
    answer: async ({ ctx }) => ({
      body: listAllReachableAccounts(ctx).map(({ id, name, displayName, plan, createdAt, updatedAt }) => ({
        id,
        name,
        displayName,
        plan,
        createdAt: createdAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
      })),
    }),
  }),
];
