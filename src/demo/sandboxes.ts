import type { PreviewInput, SandboxInput } from '../resources/sandboxes/sandbox-input.js';
import { companyOf, hostOf, openRegions, subjects } from './company.js';
import { eventsOf } from './events.js';
import { createRandom, idOf } from './random.js';
import { statusAt } from './status.js';
import { hourMs, livedSince, madeBy } from './times.js';
import { placeOfModels } from './volumes.js';

const purposes = [
  { word: 'review', title: 'review environment', image: 'web-review' },
  { word: 'notebook', title: 'notebook', image: 'notebook' },
  { word: 'replay', title: 'replay of last week', image: 'replay' },
] as const;

/** Sandboxes of one workspace, beside the volumes that they attach. The same arguments give the same sandboxes. */
export function demoSandboxes(workspace: string, count: number, end: Date): SandboxInput[] {
  return Array.from({ length: count }, (_, index) => demoSandbox(workspace, index, end));
}

function demoSandbox(workspace: string, index: number, end: Date): SandboxInput {
  const random = createRandom(`${workspace} sandbox ${index}`);
  const subject = subjects[index % subjects.length] ?? subjects[0];
  const purpose = purposes[Math.floor(index / subjects.length) % purposes.length] ?? purposes[0];
  const name = `${subject.word}-${purpose.word}`;
  const status = statusAt(index, random);
  const lived = livedSince(random, end, 120, 20);
  const hasModels = random.percent(40);
  const region = hasModels ? placeOfModels(workspace, subject.word) : random.pick(openRegions);
  return {
    id: idOf(`${workspace}/sandboxes/${name}`),
    metadata: {
      name,
      displayName: `${subject.title} ${purpose.title}`,
      labels: { team: subject.team, purpose: purpose.word },
      ...(random.percent(30) ? { externalId: `PR-${random.below(9_000) + 1_000}` } : {}),
      ...madeBy(random, workspace, lived),
    },
    status,
    spec: {
      enabled: status !== 'DEACTIVATED',
      region,
      runtime: {
        generation: 'mk3',
        image: `registry.${companyOf(workspace).domain}/sandboxes/${purpose.image}:r${random.below(20) + 1}`,
        memory: random.pick([2048, 4096, 8192, 16_384]),
        envs: [
          { name: 'WORKDIR', value: '/workspace' },
          { name: 'WAREHOUSE_PASSWORD', value: `wh-${idOf(name).slice(0, 14)}`, secret: true },
        ],
      },
      volumes: [
        ...(hasModels
          ? [{ type: 'persistent' as const, name: `${subject.word}-models`, mountPath: '/models', readOnly: true }]
          : []),
        { type: 'ephemeral' as const, name: 'scratch', mountPath: '/scratch', sizeMb: random.pick([2048, 10_240]) },
      ],
    },
    events: eventsOf(status, lived.createdAt, lived.updatedAt, 'r1', undefined),
  };
}

const views = [
  { word: 'app', port: 3000 },
  { word: 'docs', port: 8000 },
  { word: 'metrics', port: 9090 },
  { word: 'storybook', port: 6006 },
] as const;

/** Previews of sandboxes: none of some, up to four of others; public and not, lasting and expired. */
export function demoPreviews(workspace: string, sandboxes: SandboxInput[], end: Date): PreviewInput[] {
  return sandboxes.flatMap(({ id = '', metadata, spec }, index) =>
    views.slice(0, index % 5).map(({ word, port }, view): PreviewInput => {
      const random = createRandom(`${id} ${word}`);
      const lived = livedSince(random, end, 20);
      const isPublic = view === 0 && index % 2 === 0;
      const prefixUrl = `${metadata.name}-${word}`;
      const hours = random.pick([8, 24, 168]);
      const expires = new Date(lived.createdAt.getTime() + hours * hourMs);
      const isLimited = random.percent(60);
      return {
        id: idOf(`${workspace}/sandboxes/${metadata.name}/previews/${word}`),
        sandboxId: id,
        metadata: {
          name: word,
          displayName: `${word} of ${metadata.name}`.slice(0, 63),
          ...madeBy(random, workspace, lived),
        },
        spec: {
          port,
          public: isPublic,
          prefixUrl,
          url: `https://${prefixUrl}.preview.${hostOf(workspace)}`,
          ...(spec.region === undefined ? {} : { region: spec.region }),
          ...(index % 6 === 1 ? { customDomain: `${word}-${metadata.name}.${hostOf(workspace)}` } : {}),
          ...(isLimited ? { ttl: `${hours}h`, expires: expires.toISOString() } : {}),
          ...(isPublic ? {} : { requestHeaders: { 'x-preview-team': metadata.labels?.['team'] ?? 'platform' } }),
          responseHeaders: { 'x-robots-tag': 'noindex', 'cache-control': 'no-store' },
        },
        events: [
          {
            time: lived.createdAt.toISOString(),
            type: 'creation',
            status: 'DEPLOYED',
            message: isPublic ? 'Opened to everybody' : 'Opened to holders of a token',
          },
          ...(isLimited && expires < end
            ? [
                {
                  time: expires.toISOString(),
                  type: 'expiry',
                  status: 'TERMINATED',
                  message: `Expired after ${hours} hours`,
                },
              ]
            : []),
        ],
      };
    }),
  );
}
