// A form for any input type of the schema. The fields, their types and descriptions come from schema.graphql, their
// order from sections.ts. The form edits the same document as the text views.
import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { fieldWord } from '../look/labels.js';
import { valueAt, withValueAt } from './document-path.js';
import { FormContextValue, useFormContext } from './form-context.js';
import type { EditedResource, FormContext } from './form-context.js';
import type { Fields } from './patch.js';
import { sectionsOf } from './sections.js';

import { ShapeField } from './shape-field.js';
import type { PlacedField } from './shapes.js';
import { widgets } from './widgets.js';
import './shape-form.css';

interface ShapeFormProps extends FormContext {
  resource: EditedResource;
  /** Name of the input type. */
  input: string;
  onChange: (document: Fields) => void;
}

/** The fields of `metadata` and `spec` of an input, in sections. */
export function ShapeForm({ input, onChange, ...context }: ShapeFormProps): ReactElement {
  const { type, document } = context.resource;
  const { sections, advanced } = useMemo(() => sectionsOf(type, input), [type, input]);
  const fieldProps = { document, onChange };
  return (
    <FormContextValue value={context}>
      <div className="shape-form">
        {sections.map(({ title, fields }) => (
          <section key={title} className="form-section" aria-label={title}>
            <h3>{title}</h3>
            <div>
              {fields.map((field) => (
                <FormField key={field.path} field={field} {...fieldProps} />
              ))}
            </div>
          </section>
        ))}
        {advanced.length > 0 && <Advanced fields={advanced} {...fieldProps} />}
      </div>
    </FormContextValue>
  );
}

interface DocumentProps {
  document: Fields;
  onChange: (document: Fields) => void;
}

function FormField({
  field: { shape, path },
  document,
  onChange,
}: DocumentProps & { field: PlacedField }): ReactElement {
  const Widget = widgets[path] ?? ShapeField;
  return (
    <Widget
      shape={shape}
      path={path}
      value={valueAt(document, path)}
      onChange={(value) => onChange(withValueAt(document, path, value))}
    />
  );
}

/** The remaining fields, collapsed while none of them is set. */
function Advanced({ fields, ...props }: DocumentProps & { fields: readonly PlacedField[] }): ReactElement {
  const { problems } = useFormContext();
  const isSet = fields.some(({ path }) => valueAt(props.document, path) !== undefined);
  const hasProblem = [...problems.keys()].some((at) =>
    fields.some(({ path }) => at === path || at.startsWith(`${path}.`)),
  );
  const [isOpen, setOpen] = useState(isSet);
  useEffect(() => {
    if (hasProblem) setOpen(true);
  }, [hasProblem]);
  const groups = [...new Set(fields.map(groupOf))];
  const names = [...new Set(fields.map(({ path }) => fieldWord(path.split('.')[1] ?? '').toLowerCase()))];
  return (
    <details className="form-section" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h3>Advanced</h3>
        {!isOpen && <span className="quiet">{names.join(', ')}</span>}
      </summary>
      <div>
        {groups.map((group) => (
          <AdvancedGroup key={group} group={group}>
            {fields
              .filter((field) => groupOf(field) === group)
              .map((field) => (
                <FormField key={field.path} field={field} {...props} />
              ))}
          </AdvancedGroup>
        ))}
      </div>
    </details>
  );
}

/** The object that a field belongs to, such as `revision`; empty for the fields of `metadata` and `spec` themselves. */
function groupOf({ path }: PlacedField): string {
  return path.split('.').slice(1, -1).join('.');
}

function AdvancedGroup({ group, children }: { group: string; children: ReactElement[] }): ReactElement {
  if (group === '') return <>{children}</>;
  const word = group.split('.').map(fieldWord).join(', ');
  return (
    <div role="group" aria-label={word} className="form-subgroup">
      <h4>{word}</h4>
      {children}
    </div>
  );
}
