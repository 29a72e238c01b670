import { mutationDocument } from '../manifests/mutation-document.js';
import { isMap } from '../manifests/shape-document.js';
import type { Values } from '../manifests/shape-document.js';
import type { GatewaySession } from './gateway-command.js';

/** An object of a response. */
export type Answer = Record<string, unknown>;

/**
 * Calls a mutation of the gateway.
 *
 * @param input its input. Fields that are undefined are not sent.
 * @param selection the fields of its payload.
 * @returns the payload. @throws {Error} with the problems that the gateway names.
 */
export async function callMutation(
  gateway: GatewaySession['gateway'],
  name: string,
  input: Answer,
  selection: string,
): Promise<Answer> {
  const variables: Values = { input: JSON.parse(JSON.stringify(input)) };
  const { result } = await gateway.mutate(mutationDocument(name, selection), variables);
  const answered = isMap(result) ? result : {};
  if (typeof answered['code'] !== 'string') return answered;
  const problems = Array.isArray(answered['problems']) ? answered['problems'].filter(isMap) : [];
  const messages = problems.length > 0 ? problems : [answered];
  throw new Error(messages.map(({ message }) => String(message)).join(' '));
}

/** The nodes of a connection, or of a connection inside others. */
export function nodesOf(value: unknown, ...path: string[]): Answer[] {
  const [field, ...more] = path;
  if (field === undefined) {
    const nodes = isMap(value) ? value['nodes'] : undefined;
    return Array.isArray(nodes) ? nodes.filter(isMap) : [];
  }
  return nodesOf(isMap(value) ? value[field] : undefined, ...more);
}
