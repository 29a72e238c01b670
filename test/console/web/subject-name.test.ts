import { describe, expect, it } from 'vitest';
import { subjectName } from '../../../src/console/web/activity/subject-name.js';

const id = 'an-id';

describe('The name of what a change is about', () => {
  it('is that of the job for an execution, which has none of its own', () => {
    const resource = { __typename: 'JobExecution', id, metadata: { id, job: 'nightly-report' } } as const;
    expect(subjectName({ name: null, resource })).toBe('nightly-report');
  });

  it('begins with the owner where names are unique within the owner only', () => {
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

  it('is the name alone for everything else, and for what was deleted', () => {
    expect(subjectName({ name: 'invoice-triage', resource: { __typename: 'Agent', id } })).toBe('invoice-triage');
    expect(subjectName({ name: 'www', resource: null })).toBe('www');
    expect(subjectName({ name: null, resource: null })).toBeUndefined();
  });
});
