import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { loadPart } from '../api/load-part.js';
import { changeables } from './changeables.js';
import type { Which } from './change-resource.js';
import type { Editable } from './edit-dialog.js';

/** It brings a reader of YAML and the inputs of the schema along, which nothing else needs. */
const EditDialog = lazy(() => loadPart(() => import('./edit-dialog.js')));

interface EditButtonProps {
  which: Omit<Which, 'version'>;
  resource: Editable;
  /** Reads it again; undefined when it is gone or not reached. */
  reload: () => Promise<Editable | undefined>;
  onDone: () => void;
}

/** Edits what belongs to a resource where it stands. */
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
