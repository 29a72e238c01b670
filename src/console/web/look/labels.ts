/** Labels for the API's values. */
const words = new Map([
  ['mcp_server', 'MCP server'],
  ['custom_domain', 'custom domain'],
]);

export function wordOf(raw: string): string {
  return words.get(raw) ?? raw.replaceAll('_', ' ');
}

/** Such as "Egress gateways" for "egress gateways". */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const dimensionWords = new Map([
  ['compute_runtime_gbs', 'compute'],
  ['image_storage_gbs', 'image storage'],
  ['snapshot_storage_gbs', 'snapshot storage'],
  ['storage_gbs', 'storage'],
  ['async_requests_count', 'async requests'],
  ['active_time_hours', 'active time'],
]);

/** Such as "agent compute" for agent_compute_runtime_gbs. */
export function dimensionWord(dimension: string): string {
  const lower = dimension.toLowerCase();
  for (const [ending, word] of dimensionWords) {
    if (lower.endsWith(`_${ending}`)) return `${wordOf(lower.slice(0, -ending.length - 1))} ${word}`;
  }
  return wordOf(lower);
}

const fieldWords = new Map([
  ['envs', 'Environment'],
  ['sizeMb', 'Size'],
  ['cidrBlock', 'CIDR block'],
  ['stickySessionTtl', 'Sticky sessions'],
  ['ttl', 'Time to live'],
  ['prefixUrl', 'URL prefix'],
]);

/** Such as "Callback URL" for callbackUrl: a field of a form. */
export function fieldWord(name: string): string {
  const known = fieldWords.get(name);
  if (known !== undefined) return known;
  const parts = name.split(/(?=[A-Z])/).map((part) => part.toLowerCase());
  const text = parts.map((part) => (['url', 'id', 'ip', 'ttl'].includes(part) ? part.toUpperCase() : part)).join(' ');
  return capitalize(text);
}
