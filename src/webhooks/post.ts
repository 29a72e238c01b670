// One attempt to send a payload. Time and response size are bounded; redirects are not followed.
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connectTo, EgressError } from './egress.js';
import type { EgressSettings } from './egress.js';

/** The timeout of an attempt, from name resolution to the end of the response (ms). */
export const attemptMsMax = 10_000;

/** The maximum number of bytes of the response that are read, and of those that are stored. */
const readBytesMax = 16 * 1024;
export const keptBytesMax = 1024;

/** The outcome of an attempt. */
export interface Outcome {
  isTaken: boolean;
  latencyMs: number;
  /** The status of the response; null without one. */
  statusCode: number | null;
  /** The first kilobyte of the response. */
  answer: string | null;
  /** Why the attempt failed, in words. */
  error: string | null;
  /** How long a response with 429 or 503 asks to wait (its `Retry-After`); null without that. */
  retryAfterSeconds: number | null;
}

/**
 * Sends a payload once. Never throws: an error becomes the outcome.
 *
 * @param stopping aborts the attempt.
 */
export async function post(
  address: string,
  headers: Record<string, string>,
  body: string,
  settings: EgressSettings,
  stopping: AbortSignal,
  msMax = attemptMsMax,
): Promise<Outcome> {
  const startedMs = performance.now();
  const timeout = AbortSignal.timeout(msMax);
  const signal = AbortSignal.any([timeout, stopping]);
  const latencyMs = () => Math.round(performance.now() - startedMs);
  try {
    const response = await send(new URL(address), headers, body, settings, signal);
    const { statusCode = 0 } = response;
    const answer = await readAnswer(response, signal);
    const isTaken = statusCode >= 200 && statusCode < 300;
    const error = isTaken ? null : refusalOf(statusCode);
    return { isTaken, latencyMs: latencyMs(), statusCode, answer, error, retryAfterSeconds: retryAfterOf(response) };
  } catch (error) {
    const reason = timeout.aborted ? `no response within ${msMax / 1_000} seconds` : reasonOf(error, stopping);
    const none = { statusCode: null, answer: null, retryAfterSeconds: null };
    return { isTaken: false, latencyMs: latencyMs(), ...none, error: reason };
  }
}

async function send(
  url: URL,
  headers: Record<string, string>,
  body: string,
  settings: EgressSettings,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const socket = await connectTo(url, settings, signal);
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      createConnection: () => socket,
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, 'content-length': bytes.length, connection: 'close' },
    });
    request.on('response', resolve);
    request.on('upgrade', (_response, upgraded) => {
      upgraded.destroy();
      reject(new EgressError('the receiver requested a protocol upgrade'));
    });
    request.on('error', reject);
    request.on('close', () => reject(new EgressError('the receiver closed the connection without a response')));
    request.end(bytes);
  });
}

/** The status is already known, so a response body that is cut off or never ends does not change the outcome. */
async function readAnswer(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= readBytesMax || signal.aborted) break;
    }
  } catch {
    // Keep the part that was read.
  }
  response.destroy();
  return keptText(Buffer.concat(chunks).subarray(0, keptBytesMax));
}

/** Returns text that PostgreSQL can store and people can read: no control characters except line breaks and tabs. */
function keptText(bytes: Buffer): string {
  // Stream mode drops a character that the limit cuts in half.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
  return text.replaceAll(/[^\P{Cc}\n\r\t]/gu, '\uFFFD');
}

/** `Retry-After` of a response with 429 or 503: seconds or a date (RFC 9110, section 10.2.3). Others are ignored. */
function retryAfterOf({ statusCode, headers }: IncomingMessage): number | null {
  const value = headers['retry-after'];
  if (value === undefined || (statusCode !== 429 && statusCode !== 503)) return null;
  if (/^\d+$/.test(value)) return Number(value);
  if (!/^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d( GMT| \d{4})$/.test(value)) return null;
  // The oldest form of dates (asctime) is in UTC without saying so.
  const ms = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(ms) ? null : Math.max(0, Math.ceil((ms - Date.now()) / 1_000));
}

function refusalOf(statusCode: number): string {
  if (statusCode >= 300 && statusCode < 400) return `returned ${statusCode}: redirects are not followed`;
  return `returned ${statusCode}`;
}

function reasonOf(error: unknown, stopping: AbortSignal): string {
  if (stopping.aborted) return 'the process was shut down';
  if (error instanceof EgressError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // An error of Node.js's parser.
  if (code.startsWith('HPE_')) return `the response is not valid HTTP (${code})`;
  return (
    messages[code] ??
    (/^(ERR_TLS|CERT|DEPTH|SELF|UNABLE)/.test(code) ? `TLS: ${code}` : `not reachable (${code || 'error'})`)
  );
}

const messages: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'the host is not reachable',
  ENETUNREACH: 'the network is not reachable',
  ETIMEDOUT: 'timed out connecting',
};
