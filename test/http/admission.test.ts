import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Applicant } from '../../src/database/fair-queue.js';
import { createAdmission } from '../../src/http/admission.js';
import type { Admission } from '../../src/http/admission.js';
import { createStreamLimits } from '../../src/http/stream-limits.js';

const limits = { inFlightMax: 4, waitingMax: 8, waitMsMax: 1_000 };
const refusal = expect.objectContaining({ error: 'unavailable', status: 503, headers: { 'Retry-After': '1' } });

let server: ReturnType<typeof createServer>;
let responses: ServerResponse[];
let arrived: EventEmitter;
let origin: string;

beforeEach(async () => {
  responses = [];
  arrived = new EventEmitter();
  server = createServer((_request, response) => {
    responses.push(response);
    arrived.emit('one');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});

afterEach(() => {
  vi.useRealTimers();
  server.closeAllConnections();
  server.close();
});

/** A real response that has not been sent. */
async function openResponse(): Promise<ServerResponse> {
  const next = once(arrived, 'one');
  fetch(origin).catch(() => {});
  await next;
  const response = responses.at(-1);
  if (response === undefined) throw new Error('no request arrived');
  return response;
}

async function end(response: ServerResponse): Promise<void> {
  const closed = once(response, 'close');
  response.end();
  await closed;
}

const of = (account: string, credential = account): Applicant => ({ account, credential });

interface Asked {
  response: ServerResponse;
  outcome: Promise<void>;
}

/** Requests a slot, and records when it is given. */
async function ask(admission: Admission, applicant: Applicant, admitted: string[] = []): Promise<Asked> {
  const response = await openResponse();
  const outcome = admission.admit(applicant, response).then(() => void admitted.push(applicant.credential));
  outcome.catch(() => {});
  await Promise.resolve();
  return { response, outcome };
}

async function askAll(admission: Admission, applicants: Applicant[], admitted: string[] = []): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const applicant of applicants) asked.push(await ask(admission, applicant, admitted));
  return asked;
}

describe('Admission', () => {
  it('gives an account at most half of what the others leave', async () => {
    const admission = createAdmission({ ...limits, inFlightMax: 16 });
    const admitted: string[] = [];
    for (const account of ['a', 'b', 'c', 'd', 'e']) {
      await askAll(
        admission,
        Array.from({ length: 4 }, () => of(account)),
        admitted,
      );
    }
    await askAll(
      admission,
      Array.from({ length: 4 }, () => of('a')),
    );
    const count = (account: string) => admitted.filter((each) => each === account).length;
    // Of 16: four, then all four while eight or more are free, then what is left, halved.
    expect(['a', 'b', 'c', 'd', 'e'].map(count)).toEqual([4, 4, 4, 2, 1]);
  });

  it('leaves a slot for the next account, whatever one account holds', async () => {
    for (const inFlightMax of [2, 3, 4, 16]) {
      const admission = createAdmission({ ...limits, inFlightMax, waitingMax: 100 });
      await askAll(
        admission,
        Array.from({ length: 20 }, () => of('storm')),
      );
      expect(admission.load().inFlight).toBe(Math.ceil(inFlightMax / 2));
      const admitted: string[] = [];
      await ask(admission, of('quiet'), admitted);
      expect(admitted).toEqual(['quiet']);
    }
  });

  it('serves one account with a single slot', async () => {
    const admission = createAdmission({ ...limits, inFlightMax: 1 });
    const admitted: string[] = [];
    const [first] = await askAll(admission, [of('a', '1'), of('a', '2')], admitted);
    expect(admitted).toEqual(['1']);
    if (first !== undefined) await end(first.response);
    expect(admitted).toEqual(['1', '2']);
    expect(admission.load()).toEqual({ inFlight: 1, waiting: 0 });
  });

  it('gives the next slot to the account with the fewest, then the credential with the fewest, then the oldest', async () => {
    const admission = createAdmission(limits);
    const admitted: string[] = [];
    const [first, second, quiet] = await askAll(
      admission,
      [of('storm', 's1'), of('storm', 's1'), of('quiet', 'q1')],
      admitted,
    );
    await askAll(admission, [of('storm', 's1'), of('storm', 's2'), of('quiet', 'q2')], admitted);
    expect(admitted).toEqual(['s1', 's1', 'q1']);
    await end(quiet?.response ?? (await openResponse()));
    expect(admitted.slice(3)).toEqual(['q2']);
    await end(first?.response ?? (await openResponse()));
    expect(admitted.slice(4)).toEqual(['s2']);
    await end(second?.response ?? (await openResponse()));
    expect(admitted.slice(5)).toEqual(['s1']);
  });

  it('rejects requests above the share of the queue with 503 and Retry-After, and queues those of others', async () => {
    const admission = createAdmission(limits);
    const asked = await askAll(
      admission,
      Array.from({ length: 7 }, () => of('storm')),
    );
    expect(admission.load()).toEqual({ inFlight: 2, waiting: 4 });
    await expect(asked[6]?.outcome).rejects.toEqual(refusal);
    await askAll(admission, [of('quiet'), of('quiet'), of('quiet')]);
    expect(admission.load()).toEqual({ inFlight: 3, waiting: 6 });
  });

  it('rejects requests that waited too long', async () => {
    const admission = createAdmission(limits);
    const open = [await openResponse(), await openResponse(), await openResponse()];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const asked = open.map((response) => admission.admit(of('a'), response));
    asked[2]?.catch(() => {});
    vi.advanceTimersByTime(limits.waitMsMax);
    await expect(asked[2]).rejects.toEqual(refusal);
    expect(admission.load()).toEqual({ inFlight: 2, waiting: 0 });
  });

  it('frees the slot of a request that waits for the database, for as many requests as four times the slots', async () => {
    const admission = createAdmission({ ...limits, waitingMax: 100 });
    const admitted: string[] = [];
    const storm = await askAll(
      admission,
      Array.from({ length: 12 }, () => of('storm')),
      admitted,
    );
    const ends = storm.map(({ response }) => admission.pause(of('storm'), response));
    // Eight of them are half of sixteen.
    expect(admission.load()).toEqual({ inFlight: 2, waiting: 2 });
    const quiet = await ask(admission, of('quiet'), admitted);
    expect(admitted).toContain('quiet');
    admission.pause(of('quiet'), quiet.response)();
    expect(admission.load().inFlight).toBe(2);
    for (const endWait of ends) endWait();
    await end(storm[0]?.response ?? (await openResponse()));
    expect(admission.load().inFlight).toBe(2);
  });

  it('counts the slot of a request once, however it ends', async () => {
    const admission = createAdmission(limits);
    const [first] = await askAll(admission, [of('a'), of('a')]);
    if (first === undefined) throw new Error('no request');
    admission.release(first.response);
    admission.pause(of('a'), first.response)();
    await end(first.response);
    expect(admission.load()).toEqual({ inFlight: 1, waiting: 0 });
  });

  it('gives no slot to a client that disconnected before', async () => {
    const admission = createAdmission(limits);
    const places = createStreamLimits(1);
    for (let time = 0; time < 3; time++) {
      const response = await openResponse();
      const closed = once(response, 'close');
      response.destroy();
      await closed;
      await expect(admission.admit(of('a'), response)).rejects.toThrow('disconnected');
      expect(() => places.take(of('a'), response)).toThrow('disconnected');
    }
    expect(admission.load()).toEqual({ inFlight: 0, waiting: 0 });
    places.take(of('a'), await openResponse());
  });

  it('removes clients that disconnect from the queue', async () => {
    const admission = createAdmission(limits);
    const asked = await askAll(admission, [of('a'), of('a'), of('a')]);
    asked[2]?.response.destroy();
    await expect(asked[2]?.outcome).rejects.toEqual(refusal);
    expect(admission.load()).toEqual({ inFlight: 2, waiting: 0 });
  });
});
