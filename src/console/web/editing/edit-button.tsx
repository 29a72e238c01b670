import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { loadPart } from '../api/load-part.js';
import { changeables } from './changeables.js';
import type { Which } from './change-resource.js';
import type { Editable } from './edit-dialog.js';

/** Loaded on demand, because it contains a YAML parser and the inputs of the schema. */
const EditDialog = lazy(() => loadPart(() => import('./edit-dialog.js')));

interface EditButtonProps {
  which: Omit<Which, 'version'>;
  resource: Editable;
  /** Reloads the resource; undefined if it was deleted or the request failed. */
  reload: () => Promise<Editable | undefined>;
  onDone: () => void;
}

/** A button to edit a part of a resource. */
export function EditButton({ which, resource, reload, onDone }: EditButtonProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="button"
        aria-label={`Edit ${changeables[which.type]} ${which.name}`}
        onClick={() => setOpen(true)}
      >
        Edit
      </button>
      {isOpen && (
        <Suspense>
          <EditDialog
            which={which}
            resource={resource}
            reload={reload}
            onClose={() => setOpen(false)}
            onSaved={() => {
              setOpen(false);
              onDone();
            }}
          />
        </Suspense>
      )}
    </>
  );
}
