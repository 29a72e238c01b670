import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { loadPart } from '../api/load-part.js';
import { useCanChange } from '../frame/change-rights.js';
import { changeables } from './changeables.js';
import type { Changeable } from './changeables.js';
import type { Place } from './change-resource.js';
import type { Fields } from './patch.js';

/** Loaded on demand, because it contains a YAML parser and the inputs of the schema. */
const CreateDialog = lazy(() => loadPart(() => import('./create-dialog.js')));

interface CreateDialogProps {
  type: Changeable;
  scope: Place;
  onClose: () => void;
  onCreated: (name: string) => void;
  /** The resource to duplicate, if any. */
  original?: Fields;
}

export function LazyCreateDialog(props: CreateDialogProps): ReactElement {
  return (
    <Suspense>
      <CreateDialog {...props} />
    </Suspense>
  );
}

interface CreateButtonProps extends Omit<CreateDialogProps, 'onClose'> {
  isPrimary?: boolean;
}

/** A button to create a workspace or a part of a resource. Viewers of a workspace have none. */
export function CreateButton({ type, scope, onCreated, isPrimary = false }: CreateButtonProps): ReactElement | null {
  const [isOpen, setOpen] = useState(false);
  const canChange = useCanChange(scope['workspace']);
  if (!canChange) return null;
  return (
    <>
      <button type="button" className={isPrimary ? 'button primary' : 'button'} onClick={() => setOpen(true)}>
        Create {changeables[type]}
      </button>
      {isOpen && (
        <LazyCreateDialog
          type={type}
          scope={scope}
          onClose={() => setOpen(false)}
          onCreated={(name) => {
            setOpen(false);
            onCreated(name);
          }}
        />
      )}
    </>
  );
}
