import { lazy, Suspense } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { loadPart } from '../api/load-part.js';
import type { Reading } from '../api/reading.js';
import { useCanChange } from '../frame/change-rights.js';
import { Confirm } from '../look/confirm.js';
import { RowMenu } from '../look/row-menu.js';
import type { DialogControl, RowAction } from '../look/row-menu.js';
import { changeables } from './changeables.js';
import { deleteResource } from './change-resource.js';
import type { Which } from './change-resource.js';
import type { Editable } from './edit-dialog.js';
import { protectedReason } from './protected.js';

/** Loaded on demand, because it contains a YAML parser and the inputs of the schema. */
const EditDialog = lazy(() => loadPart(() => import('./edit-dialog.js')));

type WhichPart = Omit<Which, 'version'>;

interface EditPartProps {
  which: WhichPart;
  resource: Editable;
  /** Reads the resource again. */
  reload: () => Promise<Reading<Editable>>;
  onDone: () => void;
}

/** The action of a menu that edits a workspace or a part of a resource. */
export function editAction({ onDone, ...props }: EditPartProps): RowAction {
  return {
    label: 'Edit…',
    dialog: ({ onOpenChange }) => (
      <Suspense>
        <EditDialog
          {...props}
          onClose={() => onOpenChange(false)}
          onSaved={() => {
            onOpenChange(false);
            onDone();
          }}
        />
      </Suspense>
    ),
  };
}

interface PartMenuProps extends EditPartProps {
  isProtected: boolean;
  /** The consequences of a deletion. */
  children: ReactNode;
}

/** The menu of a part of a resource: edit and delete. Viewers have none. */
export function PartMenu({ isProtected, children, ...edited }: PartMenuProps): ReactElement | null {
  const { which, onDone } = edited;
  const canChange = useCanChange(which.scope['workspace']);
  if (!canChange) return null;
  const one = changeables[which.type];
  const remove = async () => {
    const refused = await deleteResource({ ...which, version: undefined });
    if (refused === undefined) onDone();
    return refused?.message;
  };
  const confirmDelete = (control: DialogControl) => (
    <Confirm control={control} title={`Delete ${which.name}?`} confirm={`Delete ${one}`} keep="Cancel" run={remove}>
      {children}
    </Confirm>
  );
  return (
    <RowMenu
      label={`Actions of ${one} ${which.name}`}
      actions={[
        editAction(edited),
        {
          label: 'Delete…',
          isDestructive: true,
          disabledReason: isProtected ? protectedReason(which.name) : undefined,
          dialog: confirmDelete,
        },
      ]}
    />
  );
}
