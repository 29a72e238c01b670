// Usage as CloudEvents 1.0 tell it: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md. Pure.
import { invalidRequest } from '../errors.js';

/** Attributes of an envelope that can break a rule of their own; `source`, `id` and `time` are those of usage. */
export type CloudEventField = 'specversion' | 'type' | 'datacontenttype' | 'data' | 'data_base64';

/** The fields of usage within an envelope, not looked at yet; or the rule that the envelope breaks. */
export type OpenedCloudEvent = { fields: object } | { problem: { field: CloudEventField; rule: string } };

/** Whether an object is an envelope: `specversion` is required of each, and no field of usage. */
export function isCloudEvent(given: object): boolean {
  return Object.hasOwn(given, 'specversion');
}

/**
 * Takes usage out of its envelope (decision 120): `source`, `id` and `time` are those of the envelope, all else is in
 * `data`; without them there, `type` is the billing dimension and `subject` the name of the resource.
 */
export function openCloudEvent(envelope: object): OpenedCloudEvent {
  const { specversion, type, subject, source, id, time, datacontenttype, data, data_base64 } = attributesOf(envelope);
  if (specversion !== '1.0') return problem('specversion', 'must be 1.0');
  if (typeof type !== 'string' || type === '') return problem('type', 'is missing');
  if (data_base64 !== undefined && data_base64 !== null)
    return problem('data_base64', 'is not supported: send data as a JSON object');
  // What is null is not set: JSON format, section 2.2.
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
 * The envelope that headers make around a body: binary mode of the HTTP binding, section 3.1. Nothing when there is
 * none, and where the media type tells of another mode: headers beside that only say again what the body says (3.2.3).
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
      ? [[name.slice(attributePrefix.length), decoded(name, value)]]
      : [],
  );
  return { ...Object.fromEntries(attributes), data };
}

/** Earlier versions of the binding quote a value where this one encodes it: section 3.1.3.2. */
function decoded(name: string, value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(value)?.[1];
  try {
    return decodeURIComponent(quoted?.replaceAll(/\\(.)/g, '$1') ?? value);
  } catch {
    throw invalidRequest(`The header ${name} is not percent-encoded UTF-8.`);
  }
}
