import { useId } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useFormContext } from './form-context.js';

export interface ControlIds {
  id: string;
  describedBy: string | undefined;
  isInvalid: boolean;
}

interface FieldRowProps {
  path: string;
  label: string;
  hint: string;
  isRequired?: boolean;
  /** A problem that is known before the service validates the field. */
  problem?: string | undefined;
  children: (ids: ControlIds) => ReactNode;
}

/** A form row: label, control, and the hint or error message. */
export function FieldRow({ path, label, hint, isRequired = false, problem, children }: FieldRowProps): ReactElement {
  const { problems, onLeave } = useFormContext();
  const id = useId();
  // A list or a map has problems of its values as well, such as spec.requestHeaders.X-Env.
  const [at = path, rule] = [...problems].find(([each]) => each === path || each.startsWith(`${path}.`)) ?? [];
  const shown = problem ?? (at === path ? rule : `${at.slice(path.length + 1)}: ${rule ?? ''}`);
  const isNoted = shown !== undefined || hint !== '';
  return (
    <div className="form-row" onBlur={() => onLeave(path)}>
      <label htmlFor={id} title={path}>
        {label}
        {isRequired && <span className="quiet"> required</span>}
      </label>
      <div className="form-control">
        {children({ id, describedBy: isNoted ? `${id}-note` : undefined, isInvalid: shown !== undefined })}
      </div>
      {isNoted && (
        <p id={`${id}-note`} className={shown === undefined ? 'form-note quiet' : 'form-note wrong'} aria-live="polite">
          {shown ?? hint}
        </p>
      )}
    </div>
  );
}
