import type { ReactElement, ReactNode } from 'react';

interface ListCountProps {
  /** The plural of the objects in the list, such as "keys". */
  of: string;
  /** The text of the count, such as "12 keys"; undefined until all rows are loaded. */
  text: ReactNode;
  /** Why there is no count. */
  error: unknown;
}

/** The number of rows above a list. It says that the list is loading until the number is known. */
export function ListCount({ of, text, error }: ListCountProps): ReactElement {
  return (
    <span className="quiet list-count" role="status">
      {text ?? (error === undefined ? `Loading ${of}…` : '')}
    </span>
  );
}
