import { describe, expect, it } from 'vitest';
import { placeIn, problemsIn } from '../../../src/console/web/editing/text-position.js';

const text = `metadata:
  displayName: One
  labels:
    team: ops
spec:
  runtime:
    memory: -3
    envs:
      - name: A
        value: one
      - name: B
        secret: true
  triggers:
  - type: cron
    configuration:
      schedule: nonsense
`;

const marked = (path: string) =>
  problemsIn(text, [{ path, message: `${path} is wrong` }]).map(({ from, to, message }) => [
    text.slice(from, to),
    message,
  ]);

describe('A problem', () => {
  it('is at the value of its field', () => {
    expect(marked('spec.runtime.memory')).toEqual([['-3', 'Is wrong']]);
    expect(marked('spec.runtime.envs.1.name')).toEqual([['B', 'Is wrong']]);
    expect(marked('spec.triggers.0.configuration.schedule')).toEqual([['nonsense', 'Is wrong']]);
  });

  it('is at the innermost key that exists, if the field is missing', () => {
    expect(marked('spec.triggers.0.configuration.callbackUrl')).toEqual([['configuration', 'Is wrong']]);
    expect(marked('spec.region')).toEqual([['spec', 'Is wrong']]);
    expect(marked('metadata.labels.0.value')).toEqual([['labels', 'Is wrong']]);
    expect(marked('')).toEqual([['m', 'Is wrong']]);
  });

  it('is the syntax error, while there is one', () => {
    const [problem, ...more] = problemsIn('spec:\n  runtime: [', [{ path: 'spec', message: 'spec is wrong' }]);
    expect(more).toEqual([]);
    expect(problem?.message).not.toContain('wrong');
    expect(problemsIn('', [{ path: 'spec', message: 'spec is wrong' }])).toMatchObject([{ from: 0, to: 0 }]);
  });
});

/** The place after the first line that ends with this text. */
const placeAfter = (end: string, whole = text) => placeIn(whole, whole.indexOf(`${end}\n`) + end.length);

describe('A place', () => {
  it.each([['metadata:', [], undefined, 'metadata:']])('is not a key after its colon: %s', (end) => {
    expect(placeAfter(end)).toBeUndefined();
  });

  it('of a key has its path, and the other keys of the same object', () => {
    const whole = text.replace('memory: -3', 'memory: -3\n    gen');
    expect(placeAfter('    gen', whole)).toEqual({
      path: ['spec', 'runtime'],
      key: undefined,
      siblings: ['memory', 'envs'],
      typed: 'gen',
    });
  });

  it('in a list has the path of the list', () => {
    expect(placeAfter('name: B')).toMatchObject({ path: ['spec', 'runtime', 'envs'], key: 'name', typed: 'B' });
    expect(placeAfter('secret: true')).toMatchObject({ path: ['spec', 'runtime', 'envs'], siblings: ['name'] });
    expect(placeAfter('type: cron')).toMatchObject({ path: ['spec', 'triggers'], key: 'type', typed: 'cron' });
    expect(placeAfter('schedule: nonsense')).toMatchObject({ path: ['spec', 'triggers', 'configuration'] });
    const next = text.replace('value: one', 'value: one\n        sec');
    expect(placeAfter('        sec', next)).toMatchObject({
      path: ['spec', 'runtime', 'envs'],
      siblings: ['value', 'name'],
      key: undefined,
    });
  });

  it('at the start of the text is at the top', () => {
    expect(placeIn('', 0)).toEqual({ path: [], key: undefined, siblings: [], typed: '' });
    expect(placeIn('spec:\n  region: x\nmet', 21)).toMatchObject({ path: [], siblings: ['spec'], typed: 'met' });
  });

  it('is not in a comment', () => {
    expect(placeIn('# spec', 6)).toBeUndefined();
  });
});
