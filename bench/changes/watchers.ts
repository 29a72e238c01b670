// Clients that watch: plain connections that look for the name of a change in what comes, and nothing else.
import { Agent, request } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { Account } from './writers.js';

const query = 'subscription { changes { cursor node { verb kind name actor { name } } } }';

export interface Watchers {
  /** How many events each of them got. */
  told: number[];
  leave: () => void;
}

/**
 * Opens watches, spread over accounts.
 *
 * @param onEvent called with the name of each change that one of them is told of.
 */
export async function openWatchers(
  origin: string,
  accounts: readonly Account[],
  count: number,
  onEvent: (name: string) => void,
): Promise<Watchers> {
  const agent = new Agent({ maxSockets: Infinity });
  const told = Array.from({ length: count }, () => 0);
  const requests: ClientRequest[] = [];
  const open = async (index: number) => {
    const account = accounts[index % accounts.length];
    if (account === undefined) throw new Error('there is no account');
    const headers = {
      authorization: `Bearer ${account.key}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'x-account': account.id,
    };
    const asked = request(`${origin}/graphql`, { method: 'POST', agent, headers });
    requests.push(asked);
    asked.end(JSON.stringify({ query }));
    const answered: IncomingMessage[] = await once(asked, 'response');
    const [response] = answered;
    if (response?.statusCode !== 200) throw new Error(`a watch is answered with ${response?.statusCode}`);
    asked.on('error', () => {});
    response.on('error', () => {});
    let rest = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const text = rest + chunk;
      const end = text.lastIndexOf('\n\n');
      for (const [, name = ''] of text.slice(0, end + 1).matchAll(/"name":"(c-[^"]*)"/g)) {
        told[index] = (told[index] ?? 0) + 1;
        onEvent(name);
      }
      rest = end < 0 ? text : text.slice(end + 2);
    });
  };
  for (let from = 0; from < count; from += 50) {
    await Promise.all(Array.from({ length: Math.min(50, count - from) }, (_, index) => open(from + index)));
  }
  return {
    told,
    leave: () => {
      for (const each of requests) each.destroy();
      agent.destroy();
    },
  };
}
