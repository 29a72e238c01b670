import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { loadPart } from '../api/load-part.js';
import { changeables } from './changeables.js';
import type { Changeable } from './changeables.js';
import type { Place } from './change-resource.js';

/** It brings a reader of YAML and the inputs of the schema along, which nothing else needs. */
const CreateDialog = lazy(() => loadPart(() => import('./create-dialog.js')));

interface MakeDialogProps {
  type: Changeable;
  place: Place;
  onClose: () => void;
  onMade: (name: string) => void;
}

export function MakeDialog(props: MakeDialogProps): ReactElement {
  return (
    <Suspense>
      <CreateDialog {...props} />
    </Suspense>
  );
}

/** A button that makes one more of something where it stands. */
export function MakeButton({ type, place, onMade }: Omit<MakeDialogProps, 'onClose'>): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        New {changeables[type]}…
      </button>
      {isOpen && (
        <MakeDialog
          type={type}
          place={place}
          onClose={() => setOpen(false)}
          onMade={(name) => {
            setOpen(false);
            onMade(name);
          }}
        />
      )}
    </>
  );
}
