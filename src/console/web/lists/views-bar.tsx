import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { Icon } from '../look/icon.js';
import type { ListSearch } from './list-search.js';
import { isSameView } from './saved-views.js';
import type { SavedViews } from './saved-views.js';

interface ViewsBarProps {
  workspace: string;
  kind: Kind;
  search: ListSearch;
  saved: SavedViews;
}

/** The saved views of a list as links, each with a button to remove it. Nothing until a view is saved. */
export function ViewsBar({ workspace, kind, search, saved }: ViewsBarProps): ReactElement | null {
  if (saved.views.length === 0) return null;
  const params = { workspace, kind };
  return (
    <nav className="saved-views" aria-label="Saved views">
      <ul>
        <li>
          <Link
            to="/w/$workspace/$kind"
            params={params}
            activeOptions={{ exact: true }}
            className={isSameView(search, {}) ? 'saved-view on' : 'saved-view'}
          >
            All {kinds[kind].many.toLowerCase()}
          </Link>
        </li>
        {saved.views.map(({ name, search: kept }) => {
          const isShown = isSameView(search, kept);
          return (
            <li key={name}>
              <Link
                to="/w/$workspace/$kind"
                params={params}
                search={kept}
                className={isShown ? 'saved-view on' : 'saved-view'}
              >
                {name}
              </Link>
              {isShown && (
                <button
                  type="button"
                  className="button bare square"
                  aria-label={`Remove view ${name}`}
                  title="Remove view"
                  onClick={() => saved.remove(name)}
                >
                  <Icon name="close" />
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
