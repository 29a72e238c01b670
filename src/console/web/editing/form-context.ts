import { createContext, useContext } from 'react';
import type { Changeable } from './changeables.js';
import type { Fields } from './patch.js';

export interface FormContext {
  /** Error messages by field path. */
  problems: ReadonlyMap<string, string>;
  /** Called when a field loses the focus. */
  onLeave: (path: string) => void;
  /** Suggested values by field name. */
  suggestions: ReadonlyMap<string, readonly string[]>;
  /** The resource that the form edits; absent in other forms. */
  resource?: EditedResource;
}

export interface EditedResource {
  type: Changeable;
  /** The workspace of the resource, if it has one. */
  workspace: string | undefined;
  document: Fields;
  /** The stored document; empty for a new resource. */
  base: Fields;
  /** The regions of the platform; undefined while loading, empty if they could not be loaded. */
  regions: readonly string[] | undefined;
}

export const FormContextValue = createContext<FormContext>({
  problems: new Map(),
  onLeave: () => {},
  suggestions: new Map(),
});

export function useFormContext(): FormContext {
  return useContext(FormContextValue);
}
