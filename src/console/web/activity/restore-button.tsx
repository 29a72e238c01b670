import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { loadPart } from '../api/load-part.js';
import { useCanChange } from '../frame/change-rights.js';
import type { Kind } from '../kinds/kinds.js';
import type { WhichResourceChange } from './use-change.js';

/** Loaded on demand, because they contain a YAML parser. */
const RestoreDialog = lazy(() => loadPart(() => import('./restore-dialog.js')));
const CreateAgainDialog = lazy(async () => ({
  default: (await loadPart(() => import('./restore-dialog.js'))).CreateAgainDialog,
}));

interface RestoreDialogProps {
  which: WhichResourceChange;
  isBefore?: boolean;
  kind: Kind;
  name: string;
  onClose: () => void;
  onDone: () => void;
}

export function LazyRestoreDialog({ which, ...props }: RestoreDialogProps): ReactElement {
  return (
    <Suspense>
      <RestoreDialog {...props} which={which} workspace={which.workspace} />
    </Suspense>
  );
}

interface RestoreButtonProps extends Omit<RestoreDialogProps, 'onClose' | 'onDone'> {
  /** The accessible name, if there are several. */
  label?: string;
  /** The text of the button, if it is not the usual one. */
  text?: string;
  /** Whether it is a link in a text, and not a button. */
  isInline?: boolean;
  onDone?: () => void;
}

/** Restores the version that a change made; with `isBefore`, the one before it. */
export function RestoreButton(props: RestoreButtonProps): ReactElement | null {
  const { label, text, isInline = false, onDone, ...version } = props;
  const [isOpen, setOpen] = useState(false);
  const canChange = useCanChange(version.which.workspace);
  if (!canChange) return null;
  return (
    <>
      <button
        type="button"
        className={isInline ? 'link-button text-link' : 'button'}
        aria-label={label}
        onClick={() => setOpen(true)}
      >
        {text ?? (version.isBefore === true ? 'Roll back' : 'Restore this version')}
      </button>
      {isOpen && (
        <LazyRestoreDialog
          {...version}
          onClose={() => setOpen(false)}
          onDone={() => {
            setOpen(false);
            onDone?.();
          }}
        />
      )}
    </>
  );
}

interface CreateAgainProps {
  workspace: string;
  kind: Kind;
  name: string;
  /** Its last version in the change log. */
  record: unknown;
}

/** Creates a deleted resource again. */
export function CreateAgainButton(props: CreateAgainProps): ReactElement | null {
  const [isOpen, setOpen] = useState(false);
  const canChange = useCanChange(props.workspace);
  if (!canChange) return null;
  return (
    <>
      <button type="button" className="button primary" onClick={() => setOpen(true)}>
        Create again
      </button>
      {isOpen && (
        <Suspense>
          <CreateAgainDialog {...props} onClose={() => setOpen(false)} onDone={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
