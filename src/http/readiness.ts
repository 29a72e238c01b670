// Whether requests are better sent elsewhere, and why. What is told here anybody may read: words of our own, and
// never those of a driver or a server.
import type { OutgoingHttpHeaders } from 'node:http';
import { unavailable } from '../errors.js';
import { sendJson, sendText } from './answer.js';
import type { Exchange } from './exchange.js';
import { methodNotAllowed } from './method.js';

/** Something that serving rests on. */
export interface Check {
  name: string;
  /** The check without whose success this one cannot tell anything, which stands before it. */
  after?: string;
  look: () => Promise<Finding | undefined> | Finding | undefined;
}

/** What is wrong with it. */
export interface Finding {
  reason: string;
  /** Whether requests fail because of it. Otherwise it is told, and the process serves. */
  stops: boolean;
}

/** What each check found, in their order. */
export type Readiness = { name: string; finding: Finding | undefined }[];

/** Looks at everything, one after the other. Those who ask while that is being done get the same answer. */
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

/** Answers /readyz: in JSON, or with `?verbose` as a text with a line for each check. */
export async function answerReadiness(exchange: Exchange, read: () => Promise<Readiness>): Promise<void> {
  const { method, search, response } = exchange;
  if (method !== 'GET') throw methodNotAllowed(['GET']);
  const found = await read();
  const stopping = found.filter(({ finding }) => finding?.stops);
  const told = stopping.map(({ name, finding }) => `${name}: ${finding?.reason}`).join('; ');
  const failure = told === '' ? undefined : unavailable(`Not ready: ${told}.`);
  if (failure !== undefined) exchange.notes.error = failure.error;
  const { status, headers }: { status: number; headers: OutgoingHttpHeaders } = failure ?? { status: 200, headers: {} };
  if (new URLSearchParams(search).has('verbose')) {
    const lines = [...found.map(lineOf), failure === undefined ? 'ready' : 'not ready'];
    sendText(response, status, `${lines.join('\n')}\n`, { 'content-type': 'text/plain; charset=utf-8', ...headers });
  } else sendJson(response, status, failure?.toBody() ?? { status: 'ready' }, headers);
}

/** As Kubernetes' own servers put it: [+] is well, [-] is why it is not ready; [!] is wrong, and serving goes on. */
function lineOf({ name, finding }: Readiness[number]): string {
  if (finding === undefined) return `[+] ${name}`;
  return `[${finding.stops ? '-' : '!'}] ${name}: ${finding.reason}`;
}
