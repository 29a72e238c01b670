import { z } from 'zod';
import { attachingCriteria, workloadCriteria } from '../../kind/criteria.js';
import { resourceAnswer } from '../../kind/resource.js';
import { resourceKind } from '../../kind/resource-kind.js';
import { specifiedColumns } from '../../kind/resource-row.js';
import type { SpecifiedResource, SpecifiedRow } from '../../kind/resource-row.js';
import { unlessMistyped } from '../../kind/rule.js';
import { requireRegion, runtime, volumeAttachments } from '../../kind/runtime.js';
import { isOfKeptSize, keptSize } from '../../kind/spec-size.js';
import { text } from '../../kind/text.js';

export const sandboxSpec = z
  .object({
    enabled: z.boolean().default(true).meta({ description: 'When false it cannot be started.' }),
    region: text().optional().meta({ description: 'Region that it runs in. Required when volumes are attached.' }),
    runtime: runtime.optional(),
    volumes: volumeAttachments.optional().meta({ description: 'Volumes that are attached to it.' }),
  })
  .superRefine(requireRegion, unlessMistyped('region', 'volumes'))
  .refine(isOfKeptSize, keptSize)
  .meta({ id: 'SandboxSpec', description: 'What a sandbox is meant to be.' });

export type SandboxSpec = z.output<typeof sandboxSpec>;

export const sandbox = resourceAnswer('Sandbox', 'An isolated machine that starts when it is called.', sandboxSpec);

export type Sandbox = SpecifiedResource<SandboxSpec>;

export type SandboxRow = SpecifiedRow<SandboxSpec>;

export const sandboxKind = resourceKind<SandboxRow>({
  noun: 'sandbox',
  table: 'sandbox',
  columns: specifiedColumns,
  isCounted: true,
  hasSearchIndex: true,
  hasFacets: true,
  criteria: { ...workloadCriteria, ...attachingCriteria },
  endpointPath: 'sandboxes',
});
