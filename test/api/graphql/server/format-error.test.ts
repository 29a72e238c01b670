import { GraphQLError } from 'graphql';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { formatErrors } from '../../../../src/api/graphql/server/format-error.js';
import { ClientGone, unavailable } from '../../../../src/errors.js';

it('logs a failed request once, unless its client has disconnected', () => {
  const log = pino({ level: 'silent' });
  const error = vi.spyOn(log, 'error');
  const failed = (originalError: Error) => formatErrors([new GraphQLError('', { originalError })], 'a-request', log);
  failed(unavailable('The database is down.'));
  expect(error).toHaveBeenCalledOnce();
  expect(failed(new ClientGone())[0]).toMatchObject({ extensions: { code: 'unavailable', status: 503 } });
  expect(error).toHaveBeenCalledOnce();
});
