import { useNavigate, useSearch } from '@tanstack/react-router';
import type { DialogControl } from '../look/row-menu.js';
import type { SearchText } from '../lists/search-text.js';

/** Whether the dialog of a new item is open, in the URL. */
export interface NewSearch {
  new?: true;
}

export function newSearch(search: SearchText): NewSearch {
  return search['new'] === true ? { new: true } : {};
}

/** The dialog of a new item, which a link and the palette can open. */
export function useNewInUrl(): DialogControl {
  const navigate = useNavigate();
  const { new: isOpen } = useSearch({ strict: false });
  return {
    isOpen: isOpen === true,
    onOpenChange: (next) =>
      void navigate({
        to: '.',
        search: ({ new: _before, ...rest }) => (next ? { ...rest, new: true } : rest),
        replace: true,
        resetScroll: false,
      }),
  };
}
