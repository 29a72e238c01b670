import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import type { CostQuestion } from '../costs/cost-query.js';
import { labelKeyOf } from '../costs/costs-search.js';
import { labelFiltersOf } from '../costs/groups.js';
import type { Group } from '../costs/groups.js';

interface EventsLinkProps {
  /** The name of the account. */
  account: string;
  question: CostQuestion;
  /** The group of costs; all groups by default. */
  group?: Group;
  children: ReactNode;
}

/** A link to the usage events behind costs. Shows nothing for a group of usage without a value, which no filter finds. */
export function EventsLink({ account, question, group, children }: EventsLinkProps): ReactElement | null {
  const { window, search } = question;
  const isFound = Object.entries(group?.values ?? {}).every(
    ([by, value]) => value !== '' || labelKeyOf(by) !== undefined,
  );
  if (!isFound) return null;
  const label = labelFiltersOf(group, search);
  const { workspace, resource_type, resource_name, resource_uuid, billing_dimension } = group?.values ?? {};
  const filters = {
    workspace: workspace ?? search.workspace,
    type: resource_type ?? search.type,
    name: resource_name ?? search.name,
    uuid: resource_uuid,
    dimension: billing_dimension ?? search.dimension,
    label: label.length === 0 ? undefined : label,
  };
  return (
    <Link
      to="/a/$account/usage"
      params={{ account }}
      search={{ ...window, ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) }}
      className="text-link"
    >
      {children}
    </Link>
  );
}
