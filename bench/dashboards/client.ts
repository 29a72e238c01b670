import { mainWorkspace } from '../../src/demo/company.js';
import { median, quantile } from '../processes.js';

// The shape of an answer is what was asked for; it is unknown by its nature.
export type Asked = (query: string, variables?: object) => Promise<ReturnType<typeof JSON.parse>>;

/** Asks a gateway, and returns the data of its answer. */
export function asks(origin: string, key: string): Asked {
  const headers = {
    Authorization: `Bearer ${key}`,
    'X-Service-Workspace': mainWorkspace,
    'Content-Type': 'application/json',
  };
  return async (query, variables = {}) => {
    const body = JSON.stringify({ query, variables });
    const response = await fetch(`${origin}/graphql`, { method: 'POST', headers, body });
    const { data, errors } = JSON.parse(await response.text());
    if (errors !== undefined) throw new Error(`${query} ${JSON.stringify(variables)}: ${JSON.stringify(errors)}`);
    return data;
  };
}

export interface Times {
  median: number;
  p90: number;
}

/** Times two requests in turns, so that whatever else the machine does meets both alike. */
export async function timeInTurns(
  repeats: number,
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<[Times, Times]> {
  const times: [number[], number[]] = [[], []];
  for (let repeat = -2; repeat < repeats; repeat++) {
    for (const [index, act] of [one, other].entries()) {
      const startedMs = performance.now();
      await act();
      if (repeat >= 0) times[index]?.push(performance.now() - startedMs);
    }
  }
  const [ofOne, ofOther] = times;
  return [timesOf(ofOne), timesOf(ofOther)];
}

function timesOf(times: number[]): Times {
  return { median: median(times), p90: quantile(times, 0.9) };
}
