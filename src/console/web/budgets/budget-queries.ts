import { pageClient } from '../api/client.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf, VariablesOf } from '../api/graphql.js';
import { problem, refusal } from '../api/refusal.js';

const budgetFields = graphql(`
  fragment BudgetFields on Budget {
    name
    version
    amount
    period
    action
    days
    workspaceName
    resourceType
    resourceName
    resourceUuid
    billingDimension
    labels {
      key
      in
      isSet
    }
    thresholds {
      percent
      measure
    }
    actual
    forecast
    computedAt
    crossings {
      percent
      measure
      period
      cost
      crossedAt
    }
  }
`);

export const budgetsQuery = graphql(
  `
    query Budgets($account: ID!) {
      account(id: $account) {
        id
        budgets(first: 100) {
          nodes {
            ...BudgetFields
          }
        }
      }
    }
  `,
  [budgetFields],
);

export const createBudgetMutation = graphql(
  `
    mutation CreateBudget($input: CreateBudgetInput!) {
      result: createBudget(input: $input) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export const updateBudgetMutation = graphql(
  `
    mutation UpdateBudget($input: UpdateBudgetInput!) {
      result: updateBudget(input: $input) {
        __typename
        ...Refusal
      }
    }
  `,
  [refusal],
);

export const deleteBudgetMutation = graphql(
  `
    mutation DeleteBudget($input: DeleteBudgetInput!) {
      result: deleteBudget(input: $input) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

/** Reads a budget again; undefined if it was deleted or the service did not respond. */
export async function readBudget(account: string, name: string): Promise<Budget | undefined> {
  const { data } = await pageClient.query(budgetsQuery, { account }).toPromise();
  return data?.account?.budgets?.nodes.find((budget) => budget.name === name);
}

export type Budget = ResultOf<typeof budgetFields>;
export type BudgetInput = VariablesOf<typeof createBudgetMutation>['input'];
