import { inspect } from 'node:util';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { BrokenInput } from '../../src/schema/broken-input.js';

it('The description of a broken input does not reveal its content', () => {
  const error = new BrokenInput([{ path: ['spec'], code: 'too_long', message: 'is too long' }], { token: 'pssst' });
  let logged = '';
  pino({ level: 'debug' }, { write: (line: string) => (logged += line) }).debug({ err: error });
  expect(error.value).toEqual({ token: 'pssst' });
  expect(`${logged} ${JSON.stringify(error)} ${inspect(error)}`).not.toContain('pssst');
  expect(logged).toContain('is too long');
});
