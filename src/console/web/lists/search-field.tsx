import type { ReactElement } from 'react';
import { useTypedSearch } from './use-typed-search.js';

interface SearchFieldProps {
  /** The search in the URL. */
  q: string | undefined;
  /** Puts a search into the URL. */
  onTyped: (typed: string | undefined) => void;
  placeholder: string;
  label: string;
  className?: string;
}

/** A field for a search by the service, which the URL keeps. */
export function SearchField({ q, onTyped, placeholder, label, className = 'field' }: SearchFieldProps): ReactElement {
  const [text, setText] = useTypedSearch(q, onTyped);
  return (
    <input
      className={className}
      type="search"
      name="q"
      placeholder={placeholder}
      aria-label={label}
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
