import type { Document } from '../manifests/document.js';
import { previewInput, sandboxInput } from './rows/sandbox-input.js';
import type { PreviewInput, SandboxInput } from './rows/sandbox-input.js';
import { madeBy } from './actors.js';
import { hostOf } from './company.js';
import { documentsOf } from './documents.js';
import { eventsOf } from './events.js';
import { createRandom, idOf } from './random.js';
import { statusOf } from './status.js';
import { livedAs, livedSince } from './times.js';

/** The sandboxes of one workspace with their state. The same arguments return the same sandboxes. */
export function demoSandboxes(workspace: string, end: Date): SandboxInput[] {
  return documentsOf('Sandbox', workspace).map(({ name, metadata, spec }, index) => {
    const random = createRandom(`${workspace} sandbox ${index}`);
    const status = statusOf(index, spec['enabled'] !== false, random);
    const lived = livedAs(status, livedSince(random, end, 120, 20), random, end);
    return sandboxInput.parse({
      id: idOf(`${workspace}/sandboxes/${name}`),
      metadata: { ...metadata, ...madeBy(random, workspace, lived, status) },
      status,
      spec,
      events: eventsOf(status, lived.createdAt, lived.updatedAt, 'r1', undefined),
    });
  });
}

/** The previews of sandboxes, with their addresses. */
export function demoPreviews(workspace: string, end: Date): PreviewInput[] {
  return documentsOf('SandboxPreview', workspace).map((document) => demoPreview(document, end));
}

function demoPreview({ workspace, parents, name, metadata, spec: wanted }: Document, end: Date): PreviewInput {
  const [sandbox = ''] = parents;
  const sandboxId = idOf(`${workspace}/sandboxes/${sandbox}`);
  const random = createRandom(`${sandboxId} ${name}`);
  const { createdAt } = livedSince(random, end, 20);
  const checked = previewInput.parse({
    id: idOf(`${workspace}/sandboxes/${sandbox}/previews/${name}`),
    sandboxId,
    metadata: { ...metadata, ...madeBy(random, workspace, { createdAt, updatedAt: createdAt }) },
    spec: wanted,
  });
  const { spec } = checked;
  return { ...checked, spec: { ...spec, url: `https://${spec.prefixUrl ?? name}.preview.${hostOf(workspace)}` } };
}
