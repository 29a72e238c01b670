import { createContext, useContext } from 'react';

export interface FormContext {
  /** What is wrong with a field, by its path. */
  problems: ReadonlyMap<string, string>;
  /** Told when somebody leaves a field. */
  onLeave: (path: string) => void;
  /** What a field of this name is often filled with. */
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
