import { graphql } from '../api/graphql.js';
import type { ResultOf, VariablesOf } from '../api/graphql.js';
import { problem } from '../api/refusal.js';

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
        ...Problem
      }
    }
  `,
  [problem],
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

export type Budget = ResultOf<typeof budgetFields>;
export type BudgetInput = VariablesOf<typeof createBudgetMutation>['input'];
