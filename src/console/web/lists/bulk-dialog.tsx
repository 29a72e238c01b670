import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { deleteResource, messagesOf, updateResource } from '../editing/change-resource.js';
import { readEditable } from '../editing/read-editable.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { plural } from '../look/amount.js';
import { isAlready, opposite } from './bulk-action.js';
import type { BulkAction } from './bulk-action.js';
import { runAll } from './run-all.js';
import type { Progress } from './run-all.js';
import type { Chosen } from './use-selection.js';

const words: Record<BulkAction, { ask: string; doing: string; done: string }> = {
  delete: { ask: 'Delete', doing: 'Deleting', done: 'deleted' },
  enable: { ask: 'Enable', doing: 'Enabling', done: 'enabled' },
  disable: { ask: 'Disable', doing: 'Disabling', done: 'disabled' },
};

/** The consequences of deleting resources of each kind. */
const consequences: Record<Kind, string> = {
  agents: 'They stop serving requests. Attached volumes are kept.',
  sandboxes: 'Their previews and preview URLs are deleted as well. Attached volumes are kept.',
  jobs: 'Their executions and tasks are deleted as well, in any state.',
  volumes: 'Their data is deleted as well. Attached volumes are not deleted and are reported.',
  networks: 'Networks with egress gateways are not deleted and are reported.',
};

const namedMax = 8;

interface BulkDialogProps {
  action: BulkAction;
  items: readonly Chosen[];
  kind: Kind;
  workspace: string;
  /** Called with the items that were not changed. */
  onClose: (left: readonly Chosen[]) => void;
}

/** Runs an action on many resources: asks first if it is irreversible, then shows the progress and each failure. */
export function BulkDialog({ action: first, items: all, kind, workspace, onClose }: BulkDialogProps): ReactElement {
  const [action, setBulkAction] = useState(first);
  const [items, setItems] = useState(all);
  const [progress, setProgress] = useState<Progress<Chosen>>();
  const stop = useRef<AbortController>(undefined);
  const changed = useRef(new Set<string>());
  /** The resources that were enabled or disabled, of all attempts. The others were already, and Undo keeps them. */
  const [switched, setSwitched] = useState<readonly Chosen[]>([]);
  const many = (count: number) => plural(count, kinds[kind].one, kinds[kind].many.toLowerCase());

  const begin = async (action: BulkAction, to: readonly Chosen[]) => {
    setBulkAction(action);
    setItems(to);
    setProgress({ done: [], failed: [], isOver: false });
    stop.current = new AbortController();
    const { type } = kinds[kind];
    await runAll(
      to,
      async (item) => {
        const { id, name } = item;
        const which = { type, scope: { workspace }, name, version: undefined };
        if (action === 'delete') {
          const refusal = await deleteResource(which);
          if (refusal !== undefined) return messagesOf(refusal).join(' ');
        } else {
          const { found: before, why } = await readEditable(kind, workspace, name);
          if (before === undefined) return why;
          if (!isAlready(action, before.document)) {
            const refusal = await updateResource(which, { spec: { enabled: action === 'enable' } });
            if (refusal !== undefined) return messagesOf(refusal).join(' ');
            if (action === first) setSwitched((others) => [...others, item]);
          }
        }
        if (action === first) changed.current.add(id);
        else changed.current.delete(id);
        return undefined;
      },
      setProgress,
      stop.current.signal,
    );
  };
  const begun = useRef(false);
  useEffect(() => {
    // Reversible actions start immediately.
    if (first === 'delete' || begun.current) return;
    begun.current = true;
    void begin(first, all);
  });

  const undo = (made: 'enable' | 'disable') => {
    changed.current = new Set(switched.map(({ id }) => id));
    void begin(opposite(made), switched);
  };
  const close = () => {
    stop.current?.abort();
    onClose(all.filter(({ id }) => !changed.current.has(id)));
  };
  const { ask, doing, done: doneWord } = words[action];
  return (
    <AlertDialog.Root
      open
      onOpenChange={(isOpen) => {
        if (!isOpen) close();
      }}
    >
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="confirm bulk-dialog">
          <AlertDialog.Title render={<h2 />}>
            {progress === undefined
              ? `${ask} ${many(items.length)}?`
              : progress.isOver
                ? `${many(progress.done.length)} ${doneWord}`
                : `${doing} ${many(items.length)}`}
          </AlertDialog.Title>
          {progress === undefined ? (
            <AlertDialog.Description render={<div />}>
              <Names items={items} />
              <p>{consequences[kind]} This cannot be undone. Their past costs stay on the bill.</p>
            </AlertDialog.Description>
          ) : (
            <BulkProgress progress={progress} count={items.length} />
          )}
          <div className="confirm-buttons">
            {progress === undefined ? (
              <>
                <AlertDialog.Close className="button">Cancel</AlertDialog.Close>
                <button type="button" className="button primary" onClick={() => void begin(action, items)}>
                  {ask} {many(items.length)}
                </button>
              </>
            ) : progress.isOver ? (
              <>
                {progress.failed.length > 0 && (
                  <button
                    type="button"
                    className="button"
                    onClick={() =>
                      void begin(
                        action,
                        progress.failed.map(({ item }) => item),
                      )
                    }
                  >
                    Retry {progress.failed.length} failed
                  </button>
                )}
                {action !== 'delete' && action === first && switched.length > 0 && (
                  <button type="button" className="button" onClick={() => undo(action)}>
                    Undo
                  </button>
                )}
                <AlertDialog.Close className="button primary">Close</AlertDialog.Close>
              </>
            ) : (
              <button type="button" className="button" onClick={() => stop.current?.abort()}>
                Stop
              </button>
            )}
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

function Names({ items }: { items: readonly Chosen[] }): ReactElement {
  const more = items.length - namedMax;
  return (
    <p className="wrap">
      <span className="mono">
        {items
          .slice(0, namedMax)
          .map(({ name }) => name)
          .join(', ')}
      </span>
      {more > 0 && ` and ${more} more`}.
    </p>
  );
}

function BulkProgress({ progress, count }: { progress: Progress<Chosen>; count: number }): ReactElement {
  const { done, failed, isOver } = progress;
  const tried = done.length + failed.length;
  return (
    <>
      <progress max={count} value={tried} aria-label="Progress" />
      <p role="status">
        {tried} of {count}
        {failed.length > 0 && `, ${failed.length} failed`}
        {isOver && tried < count && `, ${count - tried} not changed`}.
      </p>
      {failed.length > 0 && (
        <ul className="bulk-failures" tabIndex={0} aria-label="Failures">
          {failed.map(({ item, why }) => (
            <li key={item.id}>
              <span className="mono">{item.name}</span> {why}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
