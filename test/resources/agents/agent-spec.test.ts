import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/errors.js';
import { readInput } from '../../../src/schema/shape-value.js';
import type { Trigger } from '../../../src/resources/agents/agent-spec.js';
import { agentSpec, withIds } from '../../../src/resources/agents/checked-agent-spec.js';

/** The problems of a spec in the error. */
function problems(spec: unknown): string[] {
  try {
    readInput(agentSpec, spec);
    return [];
  } catch (error) {
    if (error instanceof ApiError && error.error === 'invalid_input') {
      return (error.problems ?? []).map(({ message }) => message);
    }
    throw error;
  }
}

const mk3 = { generation: 'mk3' };
const configuration = 'triggers.0.configuration';
const isHttp = 'must be a URL that starts with http:// or https://';
const isName = 'must be letters, digits, underscores, dots and hyphens, not starting with a digit, dot or hyphen';
const isKept = 'must not contain control characters';
const nightly = { schedule: '0 3 * * *' };

describe('An AgentSpec', () => {
  it('is enabled and not public by default', () => {
    expect(agentSpec.parse({})).toEqual({ enabled: true, public: false });
    expect(agentSpec.parse({ enabled: false })).toEqual({ enabled: false, public: false });
  });

  it('has enabled triggers and persistent volumes by default', () => {
    const spec = agentSpec.parse({
      region: 'eu',
      triggers: [{ id: 'a', type: 'http' }],
      volumes: [{ name: 'data', mountPath: '/data' }],
    });
    expect(spec.triggers).toEqual([{ id: 'a', type: 'http', enabled: true }]);
    expect(spec.volumes).toEqual([{ type: 'persistent', name: 'data', mountPath: '/data' }]);
  });

  const idsOf = (triggers: object[], before?: Trigger[]) =>
    withIds(agentSpec.parse({ triggers }).triggers ?? [], before).map(({ id }) => id);

  it('generates missing trigger ids, and makes equal ones unique', () => {
    const cron = { type: 'cron', configuration: nightly };
    expect(idsOf([{ type: 'http' }, { type: 'http' }])).toEqual(['http', 'http-2']);
    expect(idsOf([{ type: 'http' }, { id: 'http', ...cron }])).toEqual(['http-2', 'http']);
    expect(
      idsOf([
        { id: 'http', type: 'http' },
        { id: 'http', ...cron },
      ]),
    ).toEqual(['http', 'http-2']);
  });

  it('keeps the ids of existing triggers that the input does not name', () => {
    const cron = (schedule: string) => ({ type: 'cron' as const, enabled: true, configuration: { schedule } });
    const before = [
      { id: 'early', ...cron('0 5 * * *') },
      { id: 'late', ...cron('0 22 * * *') },
      { id: 'call', type: 'http-async' as const, enabled: true, configuration: { callbackSecret: 'hidden' } },
    ];
    expect(idsOf([{ type: 'http-async' }, cron('0 22 * * *'), cron('0 5 * * *')], before)).toEqual([
      'call',
      'late',
      'early',
    ]);
    expect(idsOf([cron('0 6 * * *')], before)).toEqual(['early']);
    expect(idsOf([cron('0 6 * * *'), cron('0 5 * * *')], before)).toEqual(['late', 'early']);
    expect(idsOf([cron('1 6 * * *'), cron('2 6 * * *'), cron('3 6 * * *')], before)).toEqual(['early', 'late', 'cron']);
    expect(idsOf([{ id: 'early', type: 'http' }, cron('0 5 * * *')], before)).toEqual(['early', 'late']);
  });

  it.each([
    ['public with mk3', { public: true, runtime: mk3 }],
    ['a timeout of 900 seconds with mk3', { runtime: mk3, triggers: [aTrigger({ timeout: 900 })] }],
    ['sticky sessions that are disabled', { revision: { stickySessionTtl: 0 } }],
    ['scale to zero', { runtime: { minScale: 0 } }],
    ['a scale that does not change', { runtime: { minScale: 2, maxScale: 2 } }],
    ['instances kept warm without an upper bound', { runtime: { minScale: 2 } }],
    ['a canary with all traffic', { revision: { canary: 'r2', canaryPercent: 100, traffic: 0 } }],
    ['no traffic for a canary that is not there', { revision: { canaryPercent: 0 } }],
    ['an ephemeral volume with a size', aVolume({ type: 'ephemeral', sizeMb: 512 })],
    ['a persistent volume with a size, which is ignored', aVolume({ type: 'persistent', sizeMb: 512 })],
    ['volumes inside one another', volumesAt('/a', '/a/b')],
    ['a cron trigger', { triggers: [{ id: 'a', type: 'cron', configuration: { schedule: '0 3 * * mon' } }] }],
    ['a callbackUrl of http', { triggers: [aTrigger({ callbackUrl: 'HTTP://example.com:8080/a?b=c' })] }],
    ['a repository over SSH', { repository: { url: 'ssh://git@github.com/acme/app.git' } }],
    ['a repository in the form of scp', { repository: { url: 'git@github.com:acme/app.git' } }],
    ['a variable of several lines', { runtime: { envs: [{ name: 'KEY', value: '-----BEGIN\n\tabc\r\n-----END' }] } }],
    ['variables that differ in case', { runtime: { envs: [{ name: 'a.b-c' }, { name: 'A.b-c' }] } }],
    ['no volumes and no region', { volumes: [] }],
  ])('accepts %s', (_what, spec) => {
    expect(problems(spec)).toEqual([]);
  });

  it.each([
    ['public without a generation', { public: true }, 'public is only available for generation mk3'],
    [
      'public with mk2',
      { public: true, runtime: { generation: 'mk2' } },
      'public is only available for generation mk3',
    ],
    [
      'volumes without a region',
      { volumes: [{ name: 'a', mountPath: '/a' }] },
      'region is required when volumes are attached',
    ],
    [
      'a timeout with mk2',
      { triggers: [aTrigger({ timeout: 10 })] },
      `${configuration}.timeout is only available for generation mk3`,
    ],
    [
      'a timeout over 900',
      { runtime: mk3, triggers: [aTrigger({ timeout: 901 })] },
      `${configuration}.timeout must be at most 900`,
    ],
    [
      'a timeout of 0',
      { runtime: mk3, triggers: [aTrigger({ timeout: 0 })] },
      `${configuration}.timeout must be at least 1`,
    ],
    ['an unknown generation', { runtime: { generation: 'mk4' } }, 'runtime.generation must be one of: mk2, mk3'],
    [
      'an unknown trigger',
      { triggers: [{ id: 'a', type: 'webhook' }] },
      'triggers.0.type must be one of: http, http-async, cron',
    ],
    [
      'a schedule of six fields',
      { triggers: [aTrigger({ schedule: '0 0 0 * * *' })] },
      `${configuration}.schedule must have exactly five fields: minute hour day month weekday`,
    ],
    [
      'a cron trigger without a schedule',
      { triggers: [{ type: 'cron' }] },
      `${configuration}.schedule is required for a cron trigger`,
    ],
    [
      'tasks that are not of text',
      { triggers: [aTrigger({ tasks: [{ n: 1 }] })] },
      `${configuration}.tasks.0.n must be a string`,
    ],
    [
      'an invalid callbackUrl',
      { triggers: [aTrigger({ callbackUrl: 'soon' })] },
      `${configuration}.callbackUrl ${isHttp}`,
    ],
    ...['https://ghp_token@github.com/a/b', 'https://x:y@github.com/a/b', 'ssh://git:y@github.com/a/b'].map(
      (url): [string, object, string] => [
        `a repository with credentials (${url})`,
        { repository: { url } },
        'repository.url must not contain a user name or password',
      ],
    ),
    [
      'a callbackUrl of ftp',
      { triggers: [aTrigger({ callbackUrl: 'ftp://example.com' })] },
      `${configuration}.callbackUrl ${isHttp}`,
    ],
    [
      'a callbackUrl without a host',
      { triggers: [aTrigger({ callbackUrl: 'https://' })] },
      `${configuration}.callbackUrl ${isHttp}`,
    ],
    [
      'a callbackUrl of a trigger that answers when it is called',
      { triggers: [{ type: 'http', configuration: { callbackUrl: 'https://example.com' } }] },
      `${configuration}.callbackUrl is only available for an http-async trigger`,
    ],
    ['a negative retry', { triggers: [aTrigger({ retry: -1 })] }, `${configuration}.retry must be at least 0`],
    ['an empty id of a trigger', { triggers: [{ id: '', type: 'http' }] }, 'triggers.0.id must not be empty'],
    [
      'an ephemeral volume without a size',
      aVolume({ type: 'ephemeral' }),
      'volumes.0.sizeMb is required for an ephemeral volume',
    ],
    ['an unknown volume', aVolume({ type: 'tape' }), 'volumes.0.type must be one of: persistent, ephemeral'],
    ['a relative mountPath', aVolume({ mountPath: 'data' }), 'volumes.0.mountPath must be an absolute path'],
    [
      'two volumes at one place',
      volumesAt('/a', '/a/'),
      'volumes.1.mountPath must be unique: another volume is mounted there',
    ],
    [
      'two volumes at one place by a detour',
      volumesAt('/a', '/b/.././/a'),
      'volumes.1.mountPath must be unique: another volume is mounted there',
    ],
    ['a percentage over 100', { revision: { traffic: 101 } }, 'revision.traffic must be at most 100'],
    ['a negative percentage', { revision: { traffic: -1 } }, 'revision.traffic must be at least 0'],
    ['a percentage that is not whole', { revision: { traffic: 12.5 } }, 'revision.traffic must be a whole number'],
    [
      'traffic for a canary that is not there',
      { revision: { canaryPercent: 5 } },
      'revision.canaryPercent can only be above 0 if canary is set',
    ],
    ['a negative scale', { runtime: { minScale: -1 } }, 'runtime.minScale must be at least 0'],
    [
      'fewer instances than are kept warm',
      { runtime: { minScale: 3, maxScale: 2 } },
      'runtime.minScale must be at most maxScale, which is 2',
    ],
    [
      'more memory than a number of GraphQL holds',
      { runtime: { memory: 2 ** 31 } },
      'runtime.memory must be at most 2147483647',
    ],
    ['a variable without a name', { runtime: { envs: [{ name: '', value: 'a' }] } }, `runtime.envs.0.name ${isName}`],
    ['a variable with a strange name', { runtime: { envs: [{ name: 'A=B' }] } }, `runtime.envs.0.name ${isName}`],
    [
      'a variable twice',
      { runtime: { envs: [{ name: 'A' }, { name: 'A' }] } },
      'runtime.envs.1.name must be unique: another variable has this name',
    ],
    [
      'a variable with NUL',
      { runtime: { envs: [{ name: 'A', value: '\0' }] } },
      `runtime.envs.0.value ${isKept} other than line breaks and tabs`,
    ],
    ['half of a character', { repository: { url: '\ud800' } }, `repository.url ${isKept}`],
    ['a list of texts with NUL', { policies: ['a', 'b\0'] }, `policies.1 ${isKept}`],
    [
      'a task with NUL in a key',
      { triggers: [aTrigger({ tasks: [{ 'a\0': 'b' }] })] },
      `${configuration}.tasks.0.a\0 ${isKept}`,
    ],
    ['a text that is too long', { region: 'a'.repeat(1025) }, 'region must be at most 1024 characters'],
    [
      'a spec that is too large',
      { policies: Array(70).fill('é'.repeat(500)) },
      'The input must be at most 65536 bytes as JSON',
    ],
    ['a value that is not an object', 'agent', 'The input must be an object'],
  ])('rejects %s', (_what, spec, message) => {
    expect(problems(spec)).toEqual([message]);
  });

  it('returns all validation errors together', () => {
    const spec = {
      public: true,
      region: 7,
      revision: { canaryPercent: 5, traffic: 101 },
      runtime: { memory: 0, minScale: 2, maxScale: 1 },
      triggers: [{ type: 'cron' }, aTrigger({ callbackUrl: 'soon', timeout: 901 })],
      volumes: [{ type: 'ephemeral', name: 'a', mountPath: 'a' }],
    };
    expect(problems(spec).toSorted()).toEqual([
      'public is only available for generation mk3',
      'region must be a string',
      'revision.canaryPercent can only be above 0 if canary is set',
      'revision.traffic must be at most 100',
      'runtime.memory must be at least 1',
      'runtime.minScale must be at most maxScale, which is 1',
      'triggers.0.configuration.schedule is required for a cron trigger',
      'triggers.1.configuration.callbackUrl must be a URL that starts with http:// or https://',
      'triggers.1.configuration.timeout is only available for generation mk3',
      'triggers.1.configuration.timeout must be at most 900',
      'volumes.0.mountPath must be an absolute path',
      'volumes.0.sizeMb is required for an ephemeral volume',
    ]);
  });
});

function aTrigger(given: Record<string, unknown>) {
  return { id: 'hook', type: 'http-async', configuration: given };
}

function aVolume(more: Record<string, unknown>) {
  return { region: 'eu', volumes: [{ name: 'data', mountPath: '/data', ...more }] };
}

function volumesAt(...mountPaths: string[]) {
  return { region: 'eu', volumes: mountPaths.map((mountPath, index) => ({ name: `v${index}`, mountPath })) };
}
