import { z } from 'zod';
import { noParameters } from '../input.js';
import { route } from '../route.js';
import type { Route } from '../route.js';
import { timestamp } from '../../../schema/resource.js';
import { listAllAccessibleAccounts } from '../../../accounts/accessible.js';

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
    summary: 'Lists the accounts that the caller belongs to and the credential can access.',
    scope: 'admin',
    isInWorkspace: false,
    parameters: noParameters,
    query: noParameters,
    body: z.array(account),
    example: [
      {
        id: '0198a5f0-3c1e-7d52-9b1f-6f1f6d9c2a11',
        name: 'meridian-freight',
        displayName: 'Meridian Freight & Customs',
        plan: 'enterprise',
        createdAt: '2025-10-16T12:00:00.000Z',
        updatedAt: '2025-10-16T12:00:00.000Z',
      },
    ],
    errors: [],
    answer: async ({ ctx }) => ({
      body: listAllAccessibleAccounts(ctx).map(({ id, name, displayName, plan, createdAt, updatedAt }) => ({
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
