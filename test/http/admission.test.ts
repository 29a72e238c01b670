import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAdmission } from '../../src/http/admission.js';
import type { Admission, Applicant } from '../../src/http/admission.js';
import { createStreamLimits } from '../../src/http/stream-limits.js';

const limits = { inFlightMax: 2, waitingMax: 4, waitMsMax: 1_000 };
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
  vi.restoreAllMocks();
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

/** Requests turns in sequence, and records the admitted ones. */
async function ask(admission: Admission, applicants: Applicant[], turns: string[]) {
  const asked: { response: ServerResponse; outcome: Promise<void> }[] = [];
  for (const applicant of applicants) {
    const response = await openResponse();
    const admit = async () => {
      await admission.admit(applicant, response);
      turns.push(applicant.credential);
    };
    const outcome = admit();
    outcome.catch(() => {});
    asked.push({ response, outcome });
  }
  await Promise.resolve();
  return asked;
}

describe('Admission', () => {
  it('admits up to its limit, and the others as those end', async () => {
    const admission = createAdmission(limits);
    const turns: string[] = [];
    const [first] = await ask(admission, [of('a', '1'), of('a', '2'), of('a', '3')], turns);
    expect(turns).toEqual(['1', '2']);
    expect(admission.load()).toEqual({ inFlight: 2, waiting: 1 });
    if (first !== undefined) await end(first.response);
    expect(turns).toEqual(['1', '2', '3']);
    expect(admission.load()).toEqual({ inFlight: 2, waiting: 0 });
  });

  it('gives the next slot to the account with the fewest, then the credential with the fewest, then the oldest', async () => {
    const admission = createAdmission(limits);
    const turns: string[] = [];
    const applicants = [
      of('storm', 's1'),
      of('storm', 's1'),
      of('storm', 's1'),
      of('storm', 's2'),
      of('quiet', 'q'),
      of('storm', 's1'),
    ];
    const asked = await ask(admission, applicants, turns);
    expect(turns).toEqual(['s1', 's1']);
    await end(asked[0]?.response ?? (await openResponse()));
    expect(turns.slice(2)).toEqual(['q']);
    await end(asked[1]?.response ?? (await openResponse()));
    expect(turns.slice(3)).toEqual(['s1']);
    await end(asked[4]?.response ?? (await openResponse()));
    expect(turns.slice(4)).toEqual(['s2']);
  });

  it('switches a queue to LIFO when its head has hardly time left, and back to FIFO when it is empty', async () => {
    const admission = createAdmission(limits);
    const turns: string[] = [];
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const applicants = ['1', '2', '3', '4', '5'].map((credential) => of('a', credential));
    const asked = await ask(admission, applicants, turns);
    now.mockReturnValue(1_801);
    for (const { response } of asked.slice(0, 2)) await end(response);
    expect(turns).toEqual(['1', '2', '5', '4']);
    await end(asked[4]?.response ?? (await openResponse()));
    expect(admission.load()).toEqual({ inFlight: 2, waiting: 0 });
    now.mockReturnValue(2_000);
    await ask(admission, [of('a', '6'), of('a', '7')], turns);
    await end(asked[3]?.response ?? (await openResponse()));
    expect(turns.slice(4)).toEqual(['3', '6']);
  });

  it('rejects requests above the queue limit with 503 and Retry-After', async () => {
    const admission = createAdmission(limits);
    const asked = await ask(
      admission,
      Array.from({ length: 7 }, () => of('a')),
      [],
    );
    await expect(asked[6]?.outcome).rejects.toEqual(refusal);
    expect(admission.load()).toEqual({ inFlight: 2, waiting: 4 });
  });

  it('makes room for a quiet account by rejecting the newest of the account with the longest queue', async () => {
    const admission = createAdmission(limits);
    const turns: string[] = [];
    const storm = await ask(
      admission,
      Array.from({ length: 6 }, () => of('storm')),
      turns,
    );
    const [quiet] = await ask(admission, [of('quiet')], turns);
    await expect(storm[5]?.outcome).rejects.toEqual(refusal);
    await end(storm[0]?.response ?? (await openResponse()));
    await quiet?.outcome;
    expect(turns).toEqual(['storm', 'storm', 'quiet']);
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

  it('limits the wait in a queue older than a second, and does not reject a burst early', async () => {
    const open = [await openResponse(), await openResponse(), await openResponse()];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const patient = createAdmission({ ...limits, inFlightMax: 1, waitMsMax: 2_000 });
    const [turn, burst, late] = open.map((response, index) => {
      if (index === 2) vi.advanceTimersByTime(1_001);
      const asked = patient.admit(of('a'), response);
      asked.catch(() => {});
      return asked;
    });
    await turn;
    vi.advanceTimersByTime(250);
    await expect(late).rejects.toEqual(refusal);
    expect(patient.load()).toEqual({ inFlight: 1, waiting: 1 });
    vi.advanceTimersByTime(749);
    await expect(burst).rejects.toEqual(refusal);
  });

  it('runs a quarter as many while the CPU is saturated, and all as soon as it is not', async () => {
    let isSaturated = true;
    const admission = createAdmission({ ...limits, inFlightMax: 8 }, () => isSaturated);
    const turns: string[] = [];
    const applicants = ['1', '2', '3', '4', '5'].map((credential) => of('a', credential));
    const [first] = await ask(admission, applicants, turns);
    expect(turns).toEqual(['1', '2']);
    isSaturated = false;
    if (first !== undefined) await end(first.response);
    expect(turns).toEqual(['1', '2', '3', '4', '5']);
  });

  it('starts others beside long requests although the CPU is saturated, and queues later ones', async () => {
    const open = [];
    for (let each = 0; each < 7; each++) open.push(await openResponse());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
    const patient = createAdmission({ inFlightMax: 4, waitingMax: 9, waitMsMax: 2_000 }, () => true);
    const admit = (response: ServerResponse) => void patient.admit(of('a'), response).catch(() => {});
    open.slice(1).forEach(admit);
    const loads = [];
    for (let time = 0; time < 11; time++) {
      loads.push(patient.load().inFlight);
      vi.advanceTimersByTime(100);
    }
    expect(loads).toEqual([1, 2, 3, ...Array.from({ length: 8 }, () => 4)]);
    open[1]?.emit('close');
    open.slice(0, 1).forEach(admit);
    vi.advanceTimersByTime(899);
    expect(patient.load()).toEqual({ inFlight: 4, waiting: 2 });
    vi.advanceTimersByTime(1);
    expect(patient.load()).toEqual({ inFlight: 4, waiting: 1 });
  });

  it('starts nothing while others connect, except for an account with nothing in progress', async () => {
    const admission = createAdmission({ ...limits, inFlightMax: 3 });
    const turns: string[] = [];
    const asked = await ask(admission, [of('a', '1'), of('a', '2'), of('a', '3'), of('a', '4')], turns);
    const quiet = await openResponse();
    admission.connected();
    for (const { response } of asked.slice(0, 2)) response.emit('close');
    expect(admission.load()).toEqual({ inFlight: 1, waiting: 1 });
    await admission.admit(of('quiet'), quiet);
    expect(turns).toEqual(['1', '2', '3']);
    await asked[3]?.outcome;
    expect(admission.load()).toEqual({ inFlight: 3, waiting: 0 });
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
    const asked = await ask(admission, [of('a'), of('a'), of('a')], []);
    asked[2]?.response.destroy();
    await expect(asked[2]?.outcome).rejects.toEqual(refusal);
    expect(admission.load()).toEqual({ inFlight: 2, waiting: 0 });
  });
});
