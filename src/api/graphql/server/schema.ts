// Imports the domains, which register their types with the builder, and builds the schema.
import { specifiedDirectives } from 'graphql';
import { builder } from '../builder.js';
import { costDirectives } from '../cost-directives.js';
import { requiresScopesDirective } from '../required-scopes.js';
import { describeByType, describeRequiredScopes } from './descriptions.js';
import { withIdempotency } from './idempotent-mutations.js';
import { withDeniedRequestsRecorded } from './denied-requests.js';
import { withListsTraced } from './traced-lists.js';
import '../scalars.js';
import '../nodes.js';
import '../accounts/accounts.js';
import '../accounts/api-keys.js';
import '../accounts/account-changes.js';
import '../accounts/authors.js';
import '../accounts/group-roles.js';
import '../accounts/invitations.js';
import '../accounts/members.js';
import '../accounts/oauth-clients.js';
import '../accounts/quotas.js';
import '../accounts/viewer.js';
import '../accounts/workspaces.js';
import '../agents/agents.js';
import '../configuration/configuration.js';
import '../executors/assignments.js';
import '../executors/executors.js';
import '../executors/logs-urls.js';
import '../images/images.js';
import '../images/image-shares.js';
import '../images/image-workloads.js';
import '../jobs/jobs.js';
import '../jobs/job-executions.js';
import '../changes/changes.js';
import '../changes/watch.js';
import '../webhooks/webhooks.js';
import '../webhooks/deliveries.js';
import '../billing/metrics.js';
import '../billing/usage-events.js';
import '../billing/billed.js';
import '../billing/billing-changes.js';
import '../billing/budgets.js';
import '../billing/cost.js';
import '../billing/price-changes.js';
import '../metering/usage.js';
import '../metering/usage-adjustments.js';
import '../networks/vpcs.js';
import '../networks/egress.js';
import '../overview/overview.js';
import '../search/search.js';
import '../sandboxes/sandboxes.js';
import '../sandboxes/previews.js';
import '../volumes/volumes.js';
import '../volumes/attachments.js';

const built = builder.toSchema({ directives: [...specifiedDirectives, ...costDirectives, requiresScopesDirective] });

export const schema = describeRequiredScopes(
  describeByType(withListsTraced(withDeniedRequestsRecorded(withIdempotency(built)))),
);
