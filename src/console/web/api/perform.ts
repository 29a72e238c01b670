import type { OperationResult, TypedDocumentNode } from '@urql/core';
import { client } from './client.js';
import { problemOf } from './failure.js';

/** Makes a change. @returns why it was not made, for people; undefined when it was. */
export async function perform<Result extends { __typename: string }, Variables extends object>(
  document: TypedDocumentNode<{ result: Result }, Variables>,
  variables: Variables,
): Promise<string | undefined> {
  const { data, error }: OperationResult<{ result: Result }, Variables> = await client
    .mutation(document, variables)
    .toPromise();
  const result = data?.result;
  if (error !== undefined || result === undefined || 'message' in result) return problemOf(result, error);
  return undefined;
}
