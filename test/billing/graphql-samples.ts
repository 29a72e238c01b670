// Account metrics through GraphQL with an API key.
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { graphql } from '../harness.js';
import type { Answer, TestApp } from '../harness.js';

interface Who {
  accountId: string;
  key: string;
}

/** The answer to some fields of one account. */
export function askAccount(app: TestApp, { accountId, key }: Who, fields: string): Promise<Answer> {
  const id = encodeGlobalId('Account', accountId);
  return graphql(app, key, `query ($id: ID!) { account(id: $id) { ${fields} } }`, { id });
}

/** The response to a metrics query. @param words the arguments as they are written in a query */
export async function metricsIn(app: TestApp, who: Who, words: string, fields: string): Promise<Answer['body']> {
  const { body } = await askAccount(app, who, `metrics(${words}) { ${fields} }`);
  if (body.errors !== undefined) throw new Error(JSON.stringify(body.errors));
  return body.data.account.metrics;
}
