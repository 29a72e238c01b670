import { describe, expect, it } from 'vitest';
import { subjectName } from '../../../src/console/web/activity/subject-name.js';

const id = 'an-id';

describe('The name of the subject of a change', () => {
  it('is the job name for an execution, which has no name', () => {
    const resource = { __typename: 'JobExecution', id, metadata: { id, jobName: 'nightly-report' } } as const;
    expect(subjectName({ name: null, resource })).toBe('nightly-report');
  });

  it('starts with the parent if names are unique within the parent only', () => {
    const sandbox = { id, metadata: { name: 'claims-notebook' } };
    const vpc = { id, metadata: { name: 'backbone' } };
    expect(subjectName({ name: 'www', resource: { __typename: 'SandboxPreview', id, sandbox } })).toBe(
      'claims-notebook / www',
    );
    expect(subjectName({ name: 'exit', resource: { __typename: 'EgressGateway', id, vpc } })).toBe('backbone / exit');
    expect(subjectName({ name: 'one', resource: { __typename: 'EgressIp', id, gateway: { id, vpc } } })).toBe(
      'backbone / one',
    );
  });

  it('is only the name for all other and for deleted subjects', () => {
    expect(subjectName({ name: 'invoice-triage', resource: { __typename: 'Agent', id } })).toBe('invoice-triage');
    expect(subjectName({ name: 'www', resource: null })).toBe('www');
    expect(subjectName({ name: null, resource: null })).toBeUndefined();
  });
});
