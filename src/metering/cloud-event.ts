// Usage in CloudEvents 1.0: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md. Pure.
import { invalidRequest } from '../errors.js';

/** Envelope attributes with rules of their own. `source`, `id` and `time` follow the rules of usage events. */
export type CloudEventField = 'specversion' | 'type' | 'datacontenttype' | 'data' | 'data_base64';

/** The usage fields of an envelope, not validated yet; or the rule that the envelope breaks. */
export type OpenedCloudEvent = { fields: object } | { problem: { field: CloudEventField; rule: string } };

/** Whether an object is a CloudEvents envelope. `specversion` is required there and is no field of a usage event. */
export function isCloudEvent(value: object): boolean {
  return Object.hasOwn(value, 'specversion');
}

/**
 * Extracts usage from an envelope (decision 120). `source`, `id` and `time` come from the envelope, other fields from
 * `data`. If `data` lacks them, `type` is the billing dimension and `subject` the resource name.
 */
export function openCloudEvent(envelope: object): OpenedCloudEvent {
  const { specversion, type, subject, source, id, time, datacontenttype, data, data_base64 } = attributesOf(envelope);
  if (specversion !== '1.0') return problem('specversion', 'must be 1.0');
  if (typeof type !== 'string' || type === '') return problem('type', 'is required');
  if (data_base64 !== undefined && data_base64 !== null)
    return problem('data_base64', 'is not supported. Send data as a JSON object');
  // A null attribute is absent: JSON format, section 2.2.
  if (datacontenttype !== undefined && datacontenttype !== null && !isJsonType(datacontenttype)) {
    return problem('datacontenttype', 'must be a JSON media type');
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    return problem('data', 'must be a JSON object');
  }
  return { fields: { billingDimension: type, resourceName: subject, ...data, source, id, time } };
}

function attributesOf(envelope: object): Record<string, unknown> {
  return { ...envelope };
}

function isJsonType(mediaType: unknown): boolean {
  return typeof mediaType === 'string' && /^[^;]*[/+]json *(?:;|$)/i.test(mediaType);
}

function problem(field: CloudEventField, rule: string): OpenedCloudEvent {
  return { problem: { field, rule } };
}

const attributePrefix = 'ce-';

/**
 * Builds an envelope from headers and a body (HTTP binding, section 3.1, binary mode). Returns undefined without such
 * headers, and for a media type of another mode: headers then only repeat the body (3.2.3).
 *
 * @throws 400 for a header that is not percent-encoded UTF-8.
 */
export function envelopeFromHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  mediaType: string,
  data: unknown,
): object | undefined {
  if (headers[`${attributePrefix}specversion`] === undefined) return undefined;
  if (mediaType.startsWith('application/cloudevents')) return undefined;
  const attributes = Object.entries(headers).flatMap(([name, value]): [string, unknown][] =>
    name.startsWith(attributePrefix) && typeof value === 'string'
      ? [[name.slice(attributePrefix.length), decodeHeader(name, value)]]
      : [],
  );
  return { ...Object.fromEntries(attributes), data };
}

/** Also reads quoted values, which earlier versions of the binding used in place of encoding (section 3.1.3.2). */
function decodeHeader(name: string, value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(value)?.[1];
  try {
    return decodeURIComponent(quoted?.replaceAll(/\\(.)/g, '$1') ?? value);
  } catch {
    throw invalidRequest(`The header ${name} is not percent-encoded UTF-8.`);
  }
}
