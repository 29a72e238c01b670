// All spellings of a kind are accepted wherever people type one.
import { describe, expect, it } from 'vitest';
import { kindInput } from '../src/api/mcp/tool-result.js';
import { allKinds, changeKindName, changeKindSpelled } from '../src/changes/change-subjects.js';
import { applyKindOf, applyKinds } from '../src/manifests/apply-kind.js';
import { kindSpelled, resourceKindNames, resourceKinds } from '../src/resource-kinds.js';

const spellings: [kind: string, typed: string[]][] = [
  ['AGENT', ['agent', 'agents', 'Agent', 'Agents', 'AGENT', 'AGENTS']],
  ['SANDBOX', ['sandbox', 'sandboxes', 'Sandboxes', 'SANDBOX']],
  [
    'SANDBOX_PREVIEW',
    ['sandbox-preview', 'sandboxPreviews', 'SandboxPreview', 'SANDBOX_PREVIEW', 'preview', 'previews'],
  ],
  ['EGRESS_IP', ['egress-ip', 'egress-ips', 'egressIp', 'EgressIps', 'EGRESS_IP', 'egress IP', 'ip', 'ips']],
  ['VPC', ['vpc', 'vpcs', 'VPC', 'VPCs', 'Vpc']],
  ['JOB_EXECUTION', ['job-executions', 'JobExecution', 'execution']],
];

describe('The kind of a name', () => {
  it.each(spellings)('%s is found in each spelling', (kind, typed) => {
    expect(typed.map(kindSpelled)).toEqual(typed.map(() => kind));
    expect(typed.map(changeKindSpelled)).toEqual(typed.map(() => kind));
  });

  it('is found in each form of the registry, and one name never means two kinds', () => {
    for (const kind of resourceKindNames) {
      const { typeName, shortName, label } = resourceKinds[kind];
      const camel = `${typeName.slice(0, 1).toLowerCase()}${typeName.slice(1)}`;
      const kebab = kind.toLowerCase().replaceAll('_', '-');
      for (const typed of [kind, typeName, camel, kebab, shortName, label, `${kebab}s`]) {
        expect([typed, kindSpelled(typed)]).toEqual([typed, kind]);
      }
    }
    for (const kind of allKinds) {
      expect([kind, changeKindName(kind)].map(changeKindSpelled)).toEqual([kind, kind]);
    }
  });

  it.each(['', 'agentss', 'cheese', 'a', '-', 'toString', 'workspaces'])('"%s" is none', (typed) => {
    expect(kindSpelled(typed)).toBeUndefined();
  });

  it('is that of manifests', () => {
    for (const { name } of applyKinds) {
      for (const typed of [name, name.toLowerCase(), `${name}s`, name.toUpperCase()]) {
        expect(applyKindOf(typed)?.name).toBe(name);
      }
    }
    expect(applyKindOf('images')).toBeUndefined();
  });

  it('is that of the tools for assistants, which list one spelling', () => {
    const input = kindInput(['Agent', 'EgressIp', 'Workspace']);
    expect(['agents', 'egress-ip', 'EGRESS_IP', 'ips', 'workspaces'].map((typed) => input.parse(typed))).toEqual([
      'Agent',
      'EgressIp',
      'EgressIp',
      'EgressIp',
      'Workspace',
    ]);
    expect(input.safeParse('job').success).toBe(false);
    expect(kindInput(allKinds).parse('api-keys')).toBe('API_KEY');
  });
});
