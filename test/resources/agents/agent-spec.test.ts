import { describe, expect, it } from 'vitest';
import { agentSpec } from '../../../src/resources/agents/agent-spec.js';

/** Where the problems of a spec are, as dotted paths. */
function problems(spec: unknown): string[] {
  const parsed = agentSpec.safeParse(spec);
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'));
}

const mk3 = { generation: 'mk3' };

describe('An AgentSpec', () => {
  it('is enabled and not public unless it says otherwise', () => {
    expect(agentSpec.parse({})).toEqual({ enabled: true, public: false });
    expect(agentSpec.parse({ enabled: false })).toEqual({ enabled: false, public: false });
  });

  it('has triggers that are enabled, and volumes that are persistent, unless they say otherwise', () => {
    const spec = agentSpec.parse({
      region: 'eu',
      triggers: [{ id: 'a', type: 'http' }],
      volumes: [{ name: 'data', mountPath: '/data' }],
    });
    expect(spec.triggers).toEqual([{ id: 'a', type: 'http', enabled: true }]);
    expect(spec.volumes).toEqual([{ type: 'persistent', name: 'data', mountPath: '/data' }]);
  });

  it('makes up the ids of triggers that have none, and tells apart those that are the same', () => {
    const triggers = [{ type: 'http' }, { type: 'http' }, { id: 'http-2', type: 'cron' }, { id: 'http', type: 'cron' }];
    const spec = agentSpec.parse({ triggers });
    expect(spec.triggers?.map(({ id }) => id)).toEqual(['http', 'http-2', 'http-2-2', 'http-3']);
  });

  it.each([
    ['public with mk3', { public: true, runtime: mk3 }],
    ['a timeout of 900 seconds with mk3', { runtime: mk3, triggers: [aTrigger({ timeout: 900 })] }],
    ['sticky sessions that are disabled', { revision: { stickySessionTtl: 0 } }],
    ['scale to zero', { runtime: { minScale: 0 } }],
    ['a canary with all traffic', { revision: { canaryPercent: 100, traffic: 0 } }],
    ['an ephemeral volume with a size', aVolume({ type: 'ephemeral', sizeMb: 512 })],
    ['a persistent volume with a size, which is ignored', aVolume({ type: 'persistent', sizeMb: 512 })],
    ['a cron trigger', { triggers: [{ id: 'a', type: 'cron', configuration: { schedule: '0 3 * * mon' } }] }],
    ['no volumes and no region', { volumes: [] }],
  ])('takes %s', (_what, spec) => {
    expect(problems(spec)).toEqual([]);
  });

  it.each([
    ['public without a generation', { public: true }, 'public'],
    ['public with mk2', { public: true, runtime: { generation: 'mk2' } }, 'public'],
    ['volumes without a region', { volumes: [{ name: 'a', mountPath: '/a' }] }, 'region'],
    ['a timeout with mk2', { triggers: [aTrigger({ timeout: 10 })] }, 'triggers.0.configuration.timeout'],
    [
      'a timeout over 900',
      { runtime: mk3, triggers: [aTrigger({ timeout: 901 })] },
      'triggers.0.configuration.timeout',
    ],
    ['a timeout of 0', { runtime: mk3, triggers: [aTrigger({ timeout: 0 })] }, 'triggers.0.configuration.timeout'],
    ['an unknown generation', { runtime: { generation: 'mk4' } }, 'runtime.generation'],
    ['an unknown trigger', { triggers: [{ id: 'a', type: 'webhook' }] }, 'triggers.0.type'],
    [
      'a schedule of six fields',
      { triggers: [aTrigger({ schedule: '0 0 0 * * *' })] },
      'triggers.0.configuration.schedule',
    ],
    [
      'tasks that are not of text',
      { triggers: [aTrigger({ tasks: [{ n: 1 }] })] },
      'triggers.0.configuration.tasks.0.n',
    ],
    [
      'a callbackUrl that is none',
      { triggers: [aTrigger({ callbackUrl: 'soon' })] },
      'triggers.0.configuration.callbackUrl',
    ],
    ['an ephemeral volume without a size', aVolume({ type: 'ephemeral' }), 'volumes.0.sizeMb'],
    ['an unknown volume', aVolume({ type: 'tape' }), 'volumes.0.type'],
    ['a relative mountPath', aVolume({ mountPath: 'data' }), 'volumes.0.mountPath'],
    ['a percentage over 100', { revision: { canaryPercent: 101 } }, 'revision.canaryPercent'],
    ['a percentage that is not whole', { revision: { traffic: 12.5 } }, 'revision.traffic'],
    ['a negative scale', { runtime: { minScale: -1 } }, 'runtime.minScale'],
    ['a variable without a name', { runtime: { envs: [{ name: '', value: 'a' }] } }, 'runtime.envs.0.name'],
    ['null for what is absent', { region: null }, 'region'],
  ])('refuses %s', (_what, spec, path) => {
    expect(problems(spec)).toEqual([path]);
  });
});

function aTrigger(configuration: Record<string, unknown>) {
  return { id: 'hook', type: 'http-async', configuration };
}

function aVolume(more: Record<string, unknown>) {
  return { region: 'eu', volumes: [{ name: 'data', mountPath: '/data', ...more }] };
}
