/** Which endpoints webhooks may reach. */
export interface EgressRules {
  /** Whether webhook URLs may use plain http. */
  allowsHttp: boolean;
  /** Non-public networks that are allowed, in CIDR notation. */
  allowedNetworks: readonly string[];
}
