// Executors that continue during failures of their gateways: they repeat unanswered requests to any available gateway,
// and count claims and accepted reports.
import { setTimeout as pause } from 'node:timers/promises';

export interface Claim {
  id: string;
  fence: number;
}

export interface TirelessExecutors {
  /** Addresses of the gateways that there are now. */
  gateways: string[];
  /** The numbers under which each assignment was handed out. */
  claimed: Map<string, number[]>;
  /** The fence numbers with which its end was accepted. */
  ended: Map<string, number[]>;
  /** Ends when nothing could be claimed for a while, and no lease is left. */
  workUntilIdle: () => Promise<void>;
}

/** Their leases last an hour, longer than any test. */
const leaseSeconds = 3_600;
const idleTurns = 20;

export function tirelessExecutors(key: string, count: number): TirelessExecutors {
  const gateways: string[] = [];
  const claimed = new Map<string, number[]>();
  const ended = new Map<string, number[]>();
  const note = (known: Map<string, number[]>, { id, fence }: Claim) => known.set(id, [...(known.get(id) ?? []), fence]);
  /** The answer, from whichever gateway gives one; undefined where it may be lost. */
  const askOnce = async (mutation: string, fields: string, input: object): Promise<Answered | undefined> => {
    const origin = gateways[Math.floor(Math.random() * gateways.length)];
    if (origin === undefined) return undefined;
    const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}`;
    const query = `mutation ($input: ${type}Input!) { result: ${mutation}(input: $input) {
      __typename ... on Error { code } ... on ${type}Payload { ${fields} } } }`;
    try {
      const response = await fetch(`${origin}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ query, variables: { input } }),
        signal: AbortSignal.timeout(20_000),
      });
      const { data }: { data?: { result: Answered } | null } = JSON.parse(await response.text());
      return data?.result;
    } catch {
      return undefined;
    }
  };
  const report = async (claim: Claim, state: string): Promise<Answered> => {
    for (;;) {
      const answer = await askOnce('executorReportAssignment', 'state', { ...claim, state, leaseSeconds });
      if (answer !== undefined) return answer;
      await pause(20);
    }
  };
  const carryOut = async (claim: Claim): Promise<void> => {
    for (const state of ['BUILDING', 'DEPLOYED']) {
      const { code } = await report(claim, state);
      if (code !== undefined) return;
    }
    note(ended, claim);
  };
  const work = async (): Promise<void> => {
    for (let idle = 0; idle < idleTurns;) {
      const answer = await askOnce('executorClaimAssignments', 'assignments { id fence }', { first: 2, leaseSeconds });
      const claims = answer?.assignments ?? [];
      // While there is no answer there may be something.
      if (answer !== undefined) idle = claims.length > 0 ? 0 : idle + 1;
      for (const claim of claims) note(claimed, claim);
      for (const claim of claims) await carryOut(claim);
      if (claims.length === 0) await pause(20);
    }
  };
  return {
    gateways,
    claimed,
    ended,
    workUntilIdle: async () => void (await Promise.all(Array.from({ length: count }, work))),
  };
}

interface Answered {
  code?: string;
  assignments?: Claim[];
}
