import type { OperationResult, TypedDocumentNode } from '@urql/core';
import { client } from './client.js';
import { problemOf } from './failure.js';

/** What came of a change: what was made, or why it was not, for people. */
export type Attempt<Result> = { done: Made<Result>; why?: undefined } | { done?: undefined; why: string };

type Made<Result> = Exclude<Result, { message: string }>;

/** Makes a change whose answer is needed, such as a secret that is shown once. */
export async function attempt<Result extends { __typename: string }, Variables extends object>(
  document: TypedDocumentNode<{ result: Result }, Variables>,
  variables: Variables,
): Promise<Attempt<Result>> {
  const { data, error }: OperationResult<{ result: Result }, Variables> = await client
    .mutation(document, variables)
    .toPromise();
  const result = data?.result;
  if (error !== undefined || result === undefined || !isMade(result)) return { why: problemOf(result, error) };
  return { done: result };
}

function isMade<Result extends object>(result: Result): result is Made<Result> {
  return !('message' in result);
}

/** Makes a change. @returns why it was not made, for people; undefined when it was. */
export async function perform<Result extends { __typename: string }, Variables extends object>(
  document: TypedDocumentNode<{ result: Result }, Variables>,
  variables: Variables,
): Promise<string | undefined> {
  return (await attempt(document, variables)).why;
}
