import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useCanChange, ViewOnly } from '../frame/change-rights.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { plural } from '../look/amount.js';
import { Notice } from '../look/notice.js';
import { activeFilters } from './active-filters.js';
import type { ListSearch } from './list-search.js';
import { viewSearch } from './saved-views.js';

interface EmptyListProps {
  kind: Kind;
  workspace: string;
  search: ListSearch;
  /** Counts the rows of a search. */
  countOf: (search: ListSearch) => Promise<number | undefined>;
}

/** The empty state of a list. With filters, it says how many rows each filter hides, with a link that removes it. */
export function EmptyList({ kind, workspace, search, countOf }: EmptyListProps): ReactElement {
  const filters = activeFilters(viewSearch(search));
  const many = kinds[kind].many.toLowerCase();
  const params = { workspace, kind };
  const canChange = useCanChange(workspace);
  if (filters.length === 0) {
    return (
      <Notice title={`No ${many} yet`}>
        {canChange ? (
          <Link to="/w/$workspace/$kind" params={params} search={{ new: true }} className="text-link">
            Create {kinds[kind].one}
          </Link>
        ) : (
          <ViewOnly />
        )}
      </Notice>
    );
  }
  return (
    <Notice title={`No ${many} match ${filters.length === 1 ? 'this filter' : 'all of these filters'}`}>
      <ul className="filter-hints" aria-label="Filters to remove">
        {filters.map(({ key, name, text, without }) => (
          <li key={key}>
            <Link to="/w/$workspace/$kind" params={params} search={without} className="text-link">
              Remove {name.toLowerCase()} {text}
            </Link>{' '}
            <CountWithout key={JSON.stringify(without)} kind={kind} search={without} countOf={countOf} />
          </li>
        ))}
        {filters.length > 1 && (
          <li>
            <Link to="/w/$workspace/$kind" params={params} className="text-link">
              Clear filters
            </Link>
          </li>
        )}
      </ul>
    </Notice>
  );
}

function CountWithout({ kind, search, countOf }: Omit<EmptyListProps, 'workspace'>): ReactElement | null {
  const [count, setCount] = useState<number>();
  useEffect(() => {
    let isCurrent = true;
    const load = async () => {
      const found = await countOf(search);
      if (isCurrent) setCount(found);
    };
    // The link works without the number.
    load().catch(() => {});
    return () => {
      isCurrent = false;
    };
    // One mounted component counts one search.
  }, []);
  return count === undefined ? null : (
    <>({plural(count, kinds[kind].one, kinds[kind].many.toLowerCase())} without it)</>
  );
}
