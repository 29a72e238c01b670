// Every parameter of account metrics that breaks a rule is named, together with the rule.
import { beforeAll, describe, expect, it } from 'vitest';
import { billingDimensions, groupDimensions } from '../../src/metering/dimensions.js';
import { rest, useApp } from '../harness.js';
import { askMetrics, expectRefusal } from './metrics-bodies.js';
import { recordUsage } from '../../src/metering/usage.js';
import { northwind, usageEvent } from '../metering/usage-samples.js';

const running = useApp();
let who: Awaited<ReturnType<typeof northwind>>;

beforeAll(async () => {
  who = await northwind(running.app);
});

const day = { startTime: '2026-11-01T00:00:00Z', endTime: '2026-11-02T00:00:00Z' };
const dayText = 'startTime=2026-11-01T00:00:00Z&endTime=2026-11-02T00:00:00Z';
const noTime = 'must be an RFC 3339 time, such as 2026-04-28T00:00:00Z';
const noYear = 'must be in the years 2000 to 2100';
const noLimit = 'must be a whole number of at least 1';
const noneOf = (word: string) =>
  `must contain only ${Object.keys(groupDimensions).join(', ')} (got ${JSON.stringify(word)})`;

/** One invalid parameter among valid ones, and the rule that it breaks. */
const broken: [name: string, value: string, rule: string][] = [
  ['startTime', '', 'is required'],
  ['endTime', '', 'is required'],
  ['startTime', 'yesterday', noTime],
  ['startTime', '2026-11-01', noTime],
  ['endTime', '2026-11-02T00:00:00', noTime],
  ['endTime', '2026-11-02 00:00:00Z', noTime],
  ['endTime', '2026-11-02T00:00Z', noTime],
  ['startTime', '1761955200', noTime],
  ['startTime', '2026-11-01T00:00:00.Z', noTime],
  ['startTime', '2026-11-01T00:00:00.0000000001Z', noTime],
  ['startTime', '2026-11-01T00:00:00+24:00', noTime],
  ['startTime', '2026-11-01T00:60:00Z', noTime],
  ['startTime', '2026-11-01T23:58:60Z', 'must be an existing date and time'],
  ['startTime', '+002026-11-01T00:00:00Z', noTime],
  ['startTime', '2026-02-29T00:00:00Z', 'must be an existing date and time'],
  ['startTime', '2026-06-31T00:00:00Z', 'must be an existing date and time'],
  ['startTime', '2026-13-01T00:00:00Z', 'must be an existing date and time'],
  ['startTime', '2026-10-31T24:00:00Z', 'must be an existing date and time'],
  ['startTime', '1999-12-31T23:59:59.999999999Z', noYear],
  ['startTime', '2000-01-01T00:00:00+00:01', noYear],
  ['endTime', '2101-01-01T00:00:00Z', noYear],
  ['endTime', '2100-12-31T23:59:00-00:01', noYear],
  ['endTime', '9999-12-31T00:00:00Z', noYear],
  ['endTime', '2026-11-01T00:00:00Z', 'must be after startTime'],
  ['endTime', '2026-10-31T23:59:59.999999999Z', 'must be after startTime'],
  ['endTime', '2026-11-01T02:00:00+02:00', 'must be after startTime'],
  ['groupBy', '', noneOf('')],
  ['groupBy', 'workspace,', noneOf('')],
  ['groupBy', 'workspaces', noneOf('workspaces')],
  ['groupBy', 'WORKSPACE', noneOf('WORKSPACE')],
  ['groupBy', 'workspace, resource_type', noneOf(' resource_type')],
  ['groupBy', 'label', noneOf('label')],
  ['groupBy', 'constructor', noneOf('constructor')],
  ['groupBy', 'resource_type,resource_type', 'must contain each dimension only once'],
  ['groupBy', 'resource_type,workspace,resource_name,resource_type', 'must contain each dimension only once'],
  ['groupBy', 'resource_type,workspace,resource_name,resource_uuid', 'must have at most 3 dimensions'],
  ['groupBy', Object.keys(groupDimensions).join(','), 'must have at most 3 dimensions'],
  ['limit', '0', noLimit],
  ['limit', '00', noLimit],
  ['limit', '-1', noLimit],
  ['limit', 'abc', noLimit],
  ['limit', '1.5', noLimit],
  ['limit', '1e2', noLimit],
  ['limit', ' 5', noLimit],
  ['limit', '', noLimit],
  ...['workspace', 'resourceType', 'resourceName', 'resourceUuid', 'billingDimension'].flatMap(
    (name): [string, string, string][] => [
      [name, '', 'must not be empty'],
      [name, 'a\u0000b', 'must not contain control characters'],
      [name, 'a\nb', 'must not contain control characters'],
    ],
  ),
  ['billingDimension', 'electricity', `must be one of: ${Object.keys(billingDimensions).join(', ')}`],
  ['billingDimension', 'toString', `must be one of: ${Object.keys(billingDimensions).join(', ')}`],
  ['label', 'team', 'is not supported'],
  ['label', '', 'is not supported'],
  ['unit', 'gbs', 'is not supported'],
];

describe('A parameter of account metrics', () => {
  it.each(broken)('%s=%s is rejected: it %s', (name, value, rule) =>
    expectRefusal(askMetrics(running.app, who, { ...day, [name]: value }), 'invalid_parameter', `${name} ${rule}`),
  );

  it.each(['startTime', 'endTime'])('%s is required', (name) => {
    const given = Object.entries(day).filter(([other]) => other !== name);
    return expectRefusal(
      askMetrics(running.app, who, Object.fromEntries(given)),
      'invalid_parameter',
      `${name} is required`,
    );
  });

  it.each(['startTime', 'endTime'])('%s with an unencoded + is rejected with a hint', (name) => {
    const time = `${name}=2026-11-01T12:00:00+02:00`;
    const path = `/accounts/${who.accountId}/metrics?${dayText.replace(new RegExp(`${name}=[^&]+`), time)}`;
    return expectRefusal(
      rest(running.app, path, { key: who.key }),
      'invalid_parameter',
      `${name} has a space before the offset. Send + as %2B in a query string`,
    );
  });

  it.each([
    'startTime=2026-11-01T00:00:00Z',
    'endTime=2026-11-02T00:00:00Z',
    'resolution=daily&resolution=daily',
    'groupBy=resource_type&groupBy=billing_dimension',
    'workspace=main&workspace=main',
    'resourceType=a&resourceType=b',
    'resourceName=a&resourceName=b',
    'resourceUuid=a&resourceUuid=b',
    'billingDimension=a&billingDimension=b',
    'limit=1&limit=2',
    'cursor=a&cursor=a',
    'label=a&label=b',
  ])('is rejected if repeated, as in %s', (words) =>
    expectRefusal(
      rest(running.app, `/accounts/${who.accountId}/metrics?${dayText}&${words}`, { key: who.key }),
      'invalid_parameter',
      `${words.split('=')[0]} must be sent once`,
    ),
  );

  it.each([
    ['2000-01-01T00:00:00Z', '2000-01-01T00:00:00.000000001Z'],
    ['1999-12-31T23:59:00-00:01', '2000-01-02T00:00:00Z'],
    ['2100-12-31T23:59:59Z', '2100-12-31T23:59:59.999999999Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T23:59:59Z'],
  ])('of a time is accepted at the bounds: %s to %s', async (startTime, endTime) => {
    expect((await askMetrics(running.app, who, { startTime, endTime })).status).toBe(200);
  });
});

describe('The time zone', () => {
  it('determines the buckets in REST, too', async () => {
    const zone = { resolution: 'daily', timeZone: 'Asia/Tokyo' };
    await recordUsage(who.ctx, [usageEvent(0, { time: '2026-11-01T15:00:00Z', cost: '3' })]);
    const { body } = await askMetrics(running.app, who, { ...day, ...zone });
    expect(body.data[0].timeseries).toEqual([
      { timestamp: '2026-10-31T15:00:00Z', cost: 0 },
      { timestamp: '2026-11-01T15:00:00Z', cost: 3 },
    ]);
  });
});

describe('An unknown parameter', () => {
  const addresses = [`metrics?${dayText}&`, `metrics/enums/resource-types?${dayText}&`, 'metrics/enums/group-by?'];
  const names = ['foo', 'grouped', 'tz', 'constructor', 'toString', '__proto__', '', 'a b'];

  it.each(addresses.flatMap((path) => names.map((name) => [path, name] as const)))(
    'is rejected with its name: %s%s=bar',
    (path, name) =>
      expectRefusal(
        rest(running.app, `/accounts/${who.accountId}/${path}${encodeURIComponent(name)}=bar`, { key: who.key }),
        'invalid_parameter',
        `${name} is not a parameter of this operation`,
      ),
  );

  it.each(addresses.slice(1).flatMap((path) => ['label', 'unit', 'groupBy', 'limit'].map((name) => [path, name])))(
    'includes one that only metrics have: %s%s=x',
    (path, name) =>
      expectRefusal(
        rest(running.app, `/accounts/${who.accountId}/${path}${name}=x`, { key: who.key }),
        'invalid_parameter',
        `${name} is not a parameter of this operation`,
      ),
  );

  it('is rejected only after the authorization', async () => {
    const foreign = '01990000-0000-7000-8000-000000000000';
    for (const path of addresses) {
      const { status, body } = await rest(running.app, `/accounts/${foreign}/${path}foo=bar`, { key: who.key });
      expect([status, body.error]).toEqual([403, 'access_denied']);
    }
  });

  it.each([
    ['groupby', 'groupBy'],
    ['group_by', 'groupBy'],
    ['TimeZone', 'timeZone'],
    ['start-time', 'startTime'],
  ])('is rejected if it is nearly one of metrics: %s', (name, right) =>
    expectRefusal(
      rest(running.app, `/accounts/${who.accountId}/metrics?${dayText}&${name}=x`, { key: who.key }),
      'invalid_parameter',
      `${name} is not a parameter. Did you mean ${right}?`,
    ),
  );
});

describe('The list of resource types', () => {
  const ask = (words: string) =>
    rest(running.app, `/accounts/${who.accountId}/metrics/enums/resource-types?${words}`, { key: who.key });

  it.each([
    ['endTime=2026-11-02T00:00:00Z', 'startTime is required'],
    ['startTime=2026-11-02T00:00:00Z', 'endTime is required'],
    ['startTime=2026-11-02T00:00:00Z&endTime=2026-11-02T00:00:00Z', 'endTime must be after startTime'],
    [
      'startTime=2026-11-02T00:00:00+01:00&endTime=2026-11-03T00:00:00Z',
      'startTime has a space before the offset. Send + as %2B in a query string',
    ],
    ['startTime=1999-11-02T00:00:00Z&endTime=2026-11-02T00:00:00Z', `startTime ${noYear}`],
    [`${dayText}&startTime=2026-11-01T00:00:00Z`, 'startTime must be sent once'],
  ])('rejects %s', (words, message) => expectRefusal(ask(words), 'invalid_parameter', message));
});
