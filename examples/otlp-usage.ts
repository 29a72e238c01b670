// Metrics of OpenTelemetry become usage: takes OTLP over HTTP as JSON, and posts a usage event for each point of a sum with
// delta temporality. What is sent again has the same id, so nothing is counted twice.
//
//   GATEWAY=http://127.0.0.1:4000 API_KEY=wcp_… ACCOUNT=acme PORT=4318 npx tsx examples/otlp-usage.ts
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

type Attributes = { key: string; value?: { stringValue?: string; intValue?: string; doubleValue?: number } }[];
type Times = { startTimeUnixNano?: string; timeUnixNano: string };
type Point = Times & { attributes?: Attributes; asInt?: string; asDouble?: number };
type Sum = { aggregationTemporality: number | string; dataPoints: Point[] };
type Metric = { name: string; sum?: Sum } & Record<string, unknown>;
type Export = {
  resourceMetrics?: { resource?: { attributes?: Attributes }; scopeMetrics?: { metrics?: Metric[] }[] }[];
};
type Answer = { message?: string; results?: { outcome: string; message?: string }[] };

const { GATEWAY = 'http://127.0.0.1:4000', API_KEY = '', ACCOUNT = '', PORT = '4318' } = process.env;
const [eventsMax, bytesMax] = [10_000, 16 * 1024 * 1024];
const isDelta = ({ aggregationTemporality: of }: Sum) => of === 1 || of === 'AGGREGATION_TEMPORALITY_DELTA';

const secondOf = (nano: string) => new Date(Number(BigInt(nano) / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
const textOf = (nano: string) => `${secondOf(nano)}.${nano.slice(-9).padStart(9, '0')}Z`;

function valuesOf(attributes: Attributes = []): Record<string, string> {
  const texts = attributes.map(({ key, value }) => [key, value?.stringValue ?? value?.intValue ?? value?.doubleValue]);
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined).map(([key, text]) => [key, String(text)]));
}

/** The attributes of a point win over those of its resource. A point is counted at its start: it may end with its hour. */
function eventFrom(name: string, point: Point, resource: Attributes | undefined): object {
  const values = { ...valuesOf(resource), ...valuesOf(point.attributes) };
  const started = point.startTimeUnixNano ?? '0';
  const identity = JSON.stringify([name, Object.entries(values).toSorted(), started, point.timeUnixNano]);
  return {
    source: values['usage.source'] ?? values['service.name'] ?? 'opentelemetry',
    id: createHash('sha256').update(identity).digest('hex'),
    account: ACCOUNT,
    workspace: values['usage.workspace'],
    resourceType: values['usage.resource.type'],
    resourceName: values['usage.resource.name'],
    resourceUuid: values['usage.resource.uuid'],
    billingDimension: values['usage.dimension'] ?? name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_'),
    time: textOf(started === '0' ? point.timeUnixNano : started),
    usage: point.asInt ?? point.asDouble,
    cost: values['usage.cost'],
  };
}

function eventsFrom({ resourceMetrics = [] }: Export): { events: object[]; others: number } {
  const events: object[] = [];
  let others = 0;
  for (const { resource, scopeMetrics = [] } of resourceMetrics) {
    for (const { name, sum, ...rest } of scopeMetrics.flatMap(({ metrics = [] }) => metrics)) {
      if (sum !== undefined && isDelta(sum))
        events.push(...sum.dataPoints.map((p) => eventFrom(name, p, resource?.attributes)));
      else others += [sum, ...Object.values(rest)].flatMap((kind) => Object(kind).dataPoints ?? []).length;
    }
  }
  return { events, others };
}

const server = createServer((request, response) => {
  const answer = (status: number, body: object, retryAfter?: string | null) => {
    if (retryAfter) response.setHeader('retry-after', retryAfter);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const take = async () => {
    if (request.url !== '/v1/metrics') return answer(404, { message: 'only /v1/metrics is here' });
    const bytes = await buffer(request);
    const { 'content-encoding': encoding } = request.headers;
    const body = encoding === 'gzip' ? gunzipSync(bytes, { maxOutputLength: bytesMax }) : bytes;
    const { events, others } = eventsFrom(JSON.parse(body.toString()));
    const refused = others === 0 ? [] : [`${others} points are of no sum with delta temporality`];
    for (let from = 0; from < events.length; from += eventsMax) {
      const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
      const batch = JSON.stringify(events.slice(from, from + eventsMax));
      const sent = await fetch(`${GATEWAY}/v0/usage/events`, { method: 'POST', headers, body: batch });
      const { message, results = [] }: Answer = JSON.parse(await sent.text());
      // 429 and 503 are tried again by whoever exports; all else is dropped there, and told.
      if (!sent.ok) return answer(sent.status >= 500 ? 503 : sent.status, { message }, sent.headers.get('retry-after'));
      const wrong = results.filter(({ outcome }) => outcome === 'invalid' || outcome === 'conflict');
      refused.push(...wrong.map((result) => result.message ?? result.outcome));
    }
    const rejectedDataPoints = String(refused.length - Math.min(others, 1) + others);
    const partialSuccess = { rejectedDataPoints, errorMessage: refused.slice(0, 10).join('; ') };
    answer(200, refused.length === 0 ? {} : { partialSuccess });
  };
  take().catch((error: unknown) => answer(error instanceof SyntaxError ? 400 : 503, { message: String(error) }));
});
await once(server.listen(Number(PORT), '127.0.0.1'), 'listening');
process.stdout.write(`POST http://127.0.0.1:${Object(server.address()).port}/v1/metrics\n`);
