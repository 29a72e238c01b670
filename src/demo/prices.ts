// The price of each billing dimension in the demo, similar to those of cloud providers.
import { costDigits, decimalFromUnits, usageDigits } from '../metering/amounts.js';
import { billingDimensions } from '../metering/dimensions.js';
import type { BillingDimension } from '../metering/dimensions.js';

/** Picodollars. Storage of 38,600 for a gigabyte-second is 10 cents for a gigabyte-month. */
const prices: Readonly<Record<BillingDimension, bigint>> = {
  sandbox_compute_runtime_gbs: 11_500_000n,
  sandbox_image_storage_gbs: 38_600n,
  sandbox_snapshot_storage_gbs: 30_900n,
  agent_compute_runtime_gbs: 11_500_000n,
  agent_image_storage_gbs: 38_600n,
  agent_async_requests_count: 400_000n,
  job_compute_runtime_gbs: 9_200_000n,
  job_image_storage_gbs: 38_600n,
  mcp_server_compute_runtime_gbs: 11_500_000n,
  mcp_server_image_storage_gbs: 38_600n,
  volume_storage_gbs: 57_900n,
  custom_domain_active_time_hours: 13_700_000_000n,
};

/** Usage to the thousandth (requests to the unit) and its cost, as decimals of events. */
export function pricedUsage(dimension: BillingDimension, amount: number): { usage: string; cost: string } {
  const isCount = billingDimensions[dimension].unit === 'count';
  const microUnits = isCount ? BigInt(Math.round(amount)) * 1_000_000n : BigInt(Math.round(amount * 1_000)) * 1_000n;
  // Micro-units times picodollars are attodollars.
  const nanoUsd = (microUnits * prices[dimension]) / 1_000_000_000n;
  return { usage: decimalFromUnits(microUnits, usageDigits), cost: decimalFromUnits(nanoUsd, costDigits) };
}
