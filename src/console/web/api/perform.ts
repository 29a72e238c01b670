import type { OperationResult, TypedDocumentNode } from '@urql/core';
import { client } from './client.js';
import { problemOf } from './failure.js';

/** The result of a mutation, or its error message. */
export type Attempt<Result> = { done: Success<Result>; why?: undefined } | { done?: undefined; why: string };

type Success<Result> = Exclude<Result, { message: string }>;

/** Runs a mutation whose result is needed, such as a secret that is shown once. */
export async function attempt<Result extends { __typename: string }, Variables extends object>(
  document: TypedDocumentNode<{ result: Result }, Variables>,
  variables: Variables,
): Promise<Attempt<Result>> {
  const { data, error }: OperationResult<{ result: Result }, Variables> = await client
    .mutation(document, variables)
    .toPromise();
  const result = data?.result;
  if (error !== undefined || result === undefined || !isSuccess(result)) return { why: problemOf(result, error) };
  return { done: result };
}

function isSuccess<Result extends object>(result: Result): result is Success<Result> {
  return !('message' in result);
}

/** Runs a mutation. @returns the error message, or undefined on success. */
export async function perform<Result extends { __typename: string }, Variables extends object>(
  document: TypedDocumentNode<{ result: Result }, Variables>,
  variables: Variables,
): Promise<string | undefined> {
  return (await attempt(document, variables)).why;
}
