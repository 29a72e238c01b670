import { z } from 'zod';
import { attachingCriteria, workloadCriteria } from '../../store/read/criteria.js';
import { resourceKind } from '../../store/read/resource-kind.js';
import { specifiedColumns } from '../../store/read/resource-row.js';
import type { SpecifiedRow } from '../../store/read/resource-row.js';
import { restartPolicy } from '../../schema/restart-policy.js';
import { unlessMistyped } from '../../schema/rule.js';
import { requireRegion, runtime, volumeAttachments } from '../../schema/runtime.js';
import { isOfKeptSize, keptSize } from '../../schema/values.js';
import { text } from '../../schema/text.js';

export const sandboxSpec = z
  .object({
    enabled: z
      .boolean()
      .default(true)
      .meta({ description: 'Enables the sandbox. If false, the sandbox cannot be started.' }),
    region: text()
      .optional()
      .meta({ description: 'Region that the sandbox runs in. Required when volumes are attached.' }),
    restartPolicy: restartPolicy.optional(),
    runtime: runtime.optional(),
    volumes: volumeAttachments.optional().meta({ description: 'Volumes attached to the sandbox.' }),
  })
  .superRefine(requireRegion, unlessMistyped('region', 'volumes'))
  .refine(isOfKeptSize, keptSize)
  .meta({ id: 'SandboxSpec', description: 'Desired state of a sandbox.' });

export type SandboxSpec = z.output<typeof sandboxSpec>;

export type SandboxRow = SpecifiedRow<SandboxSpec>;

export const sandboxKind = resourceKind<SandboxRow>('SANDBOX', {
  columns: specifiedColumns,
  hasSearchIndex: true,
  hasIndexedValues: true,
  criteria: { ...workloadCriteria, ...attachingCriteria },
  endpointPath: 'sandboxes',
});
