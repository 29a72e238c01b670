// Readiness checks: whether requests should go to other processes, and why. Anyone can read the result, so it has fixed
// texts, and never those of a driver or a server.
import type { OutgoingHttpHeaders } from 'node:http';
import { unavailable } from '../errors.js';
import { sendJson, sendText } from './answer.js';
import type { Exchange } from './exchange.js';
import { methodNotAllowed } from './method.js';

/** A dependency to check. */
export interface Check {
  name: string;
  /** The earlier check that must succeed before this one is run. */
  after?: string;
  look: () => Promise<Finding | undefined> | Finding | undefined;
}

/** A problem that a check found. */
export interface Finding {
  reason: string;
  /** Whether requests fail because of it. Otherwise it is only reported, and the process stays ready. */
  stops: boolean;
}

/** The result of each check, in order. */
export type Readiness = { name: string; finding: Finding | undefined }[];

/** Runs all checks, one after the other. Concurrent callers share a run. */
export function createReadiness(checks: readonly Check[]): () => Promise<Readiness> {
  let looking: Promise<Readiness> | undefined;
  return () => {
    looking ??= lookAt(checks).finally(() => {
      looking = undefined;
    });
    return looking;
  };
}

async function lookAt(checks: readonly Check[]): Promise<Readiness> {
  const found: Readiness = [];
  for (const { name, after, look } of checks) {
    const hindered = found.some((each) => each.name === after && each.finding !== undefined);
    found.push({ name, finding: hindered ? { reason: `not known without ${after}`, stops: false } : await look() });
  }
  return found;
}

/** Responds to /readyz: in JSON, or with `?verbose` as text with a line for each check. */
export async function answerReadiness(exchange: Exchange, read: () => Promise<Readiness>): Promise<void> {
  const { method, search, response } = exchange;
  if (method !== 'GET') throw methodNotAllowed(['GET']);
  const found = await read();
  const stopping = found.filter(({ finding }) => finding?.stops);
  const reasons = stopping.map(({ name, finding }) => `${name}: ${finding?.reason}`).join('; ');
  const failure = reasons === '' ? undefined : unavailable(`Not ready: ${reasons}.`);
  if (failure !== undefined) exchange.notes.error = failure.error;
  const { status, headers }: { status: number; headers: OutgoingHttpHeaders } = failure ?? { status: 200, headers: {} };
  if (new URLSearchParams(search).has('verbose')) {
    const lines = [...found.map(lineOf), failure === undefined ? 'ready' : 'not ready'];
    sendText(response, status, `${lines.join('\n')}\n`, { 'content-type': 'text/plain; charset=utf-8', ...headers });
  } else sendJson(response, status, failure?.toBody() ?? { status: 'ready' }, headers);
}

/** The format of Kubernetes: [+] ok, [-] not ready; in addition [!] for a problem that does not stop requests. */
function lineOf({ name, finding }: Readiness[number]): string {
  if (finding === undefined) return `[+] ${name}`;
  return `[${finding.stops ? '-' : '!'}] ${name}: ${finding.reason}`;
}
