// The texts of the queries about usage and its cost that GraphiQL opens with.

export const monthlyBill = `# What the last 30 days cost, by resource type and by
# day. Amounts are exact, to the nano-dollar.
query MonthlyBill($start: DateTime!, $end: DateTime!) {
  viewer {
    accounts {
      displayName
      dataThrough
      metrics(
        startTime: $start
        endTime: $end
        groupBy: [RESOURCE_TYPE]
        orderBy: COST_DESC
      ) {
        resolution
        summary {
          totalCost
        }
        entries(first: 10) {
          nodes {
            resourceType
            cost
            timeseries {
              timestamp
              cost
            }
          }
        }
      }
    }
  }
}
`;

export const dearestResources = `# The ten resources that cost most in the last 30 days.
# Group by BILLING_DIMENSION as well, and usage is
# answered beside cost.
query DearestResources($start: DateTime!, $end: DateTime!) {
  viewer {
    accounts {
      metrics(
        startTime: $start
        endTime: $end
        groupBy: [RESOURCE_UUID, RESOURCE_NAME]
        orderBy: COST_DESC
      ) {
        summary {
          totalCost
        }
        entries(first: 10) {
          nodes {
            resourceName
            resourceType
            workspace
            resourceUuid
            cost
          }
        }
      }
    }
  }
}
`;

export const usageRecording = `# Usage comes in as events, and is counted at once.
# Run the second operation twice: the second time the
# event is a duplicate, and nothing is counted again.
# With another cost it is a conflict.
query UsageThrough {
  viewer {
    accounts {
      name
      dataThrough
    }
  }
}

mutation RecordUsage($events: [UsageEventInput!]!) {
  recordUsage(input: { events: $events }) {
    ... on RecordUsagePayload {
      accepted
      results {
        outcome
        field
        message
      }
    }
    ... on Error {
      code
      message
      path
    }
  }
}
`;

export const billedDimensions = `# What the platform bills, and at which prices. Admins
# of the platform see what is in use, and make more: a
# dimension is in force at once, in every process. The
# second operation only says what would be; without
# validateOnly it is done.
query WhatIsBilled {
  viewer {
    accounts {
      metricsSettings {
        dimensions {
          name
          unit
          kind
          resourceTypes
          isSpecified
          isInUse
          retiredFrom
          price {
            from
            unitPrice
            currency
          }
        }
      }
    }
  }
}

mutation CreateDimension($dimension: CreateBillingDimensionInput!) {
  createBillingDimension(input: $dimension) {
    ... on CreateBillingDimensionPayload {
      billingDimension {
        name
        unit
        resourceTypes
      }
    }
    ... on Error {
      code
      message
      path
    }
  }
}
`;
