import { createContext, useContext } from 'react';

export interface FormContext {
  /** Error messages by field path. */
  problems: ReadonlyMap<string, string>;
  /** Called when a field loses the focus. */
  onLeave: (path: string) => void;
  /** Suggested values by field name. */
  suggestions: ReadonlyMap<string, readonly string[]>;
}

export const FormContextValue = createContext<FormContext>({
  problems: new Map(),
  onLeave: () => {},
  suggestions: new Map(),
});

export function useFormContext(): FormContext {
  return useContext(FormContextValue);
}
