import { request } from 'node:http';
import type { Agent } from 'node:http';

/** What a gateway answers. @throws when it is no 200 */
export function get(agent: Agent, origin: string, path: string, key: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request(`${origin}${path}`, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`${path}: ${response.statusCode} ${text}`));
      });
    });
    asking.on('error', reject);
    asking.end();
  });
}
