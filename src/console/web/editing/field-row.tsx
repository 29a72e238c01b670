import { useId } from 'react';
import type { ReactElement } from 'react';
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
  children: (ids: ControlIds) => ReactElement;
}

/** A form row: label, control, and the hint or error message. */
export function FieldRow({ path, label, hint, isRequired = false, children }: FieldRowProps): ReactElement {
  const { problems, onLeave } = useFormContext();
  const id = useId();
  const problem = problems.get(path);
  const isNoted = problem !== undefined || hint !== '';
  return (
    <div className="form-row" onBlur={() => onLeave(path)}>
      <label htmlFor={id} title={path}>
        {label}
        {isRequired && <span className="quiet"> required</span>}
      </label>
      {children({ id, describedBy: isNoted ? `${id}-note` : undefined, isInvalid: problem !== undefined })}
      {isNoted && (
        <p id={`${id}-note`} className={problem === undefined ? 'form-note quiet' : 'form-note wrong'}>
          {problem ?? hint}
        </p>
      )}
    </div>
  );
}
