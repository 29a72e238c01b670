import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { deleteResource, messagesOf, updateResource } from '../editing/change-resource.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { plural } from '../look/amount.js';
import { runAll } from './run-all.js';
import type { Progress } from './run-all.js';
import type { Chosen } from './use-selection.js';

export type Deed = 'delete' | 'switch-on' | 'switch-off';

const words: Record<Deed, { ask: string; doing: string; done: string }> = {
  delete: { ask: 'Delete', doing: 'Deleting', done: 'deleted' },
  'switch-on': { ask: 'Switch on', doing: 'Switching on', done: 'switched on' },
  'switch-off': { ask: 'Switch off', doing: 'Switching off', done: 'switched off' },
};

/** What goes with what is deleted. */
const goes: Record<Kind, string> = {
  agents: 'They answer no more requests. Volumes that they have attached stay.',
  sandboxes: 'Their previews and the addresses of those go with them. Volumes that they have attached stay.',
  jobs: 'Their executions and tasks go with them, whatever state those are in.',
  volumes: 'All that is stored on them goes with them. What is attached to something is kept, and told.',
  networks: 'Those with egress gateways are kept, and told.',
};

const namedMax = 8;

interface BulkDialogProps {
  deed: Deed;
  items: readonly Chosen[];
  kind: Kind;
  workspace: string;
  /** Given what it was not done to. */
  onClose: (left: readonly Chosen[]) => void;
}

/** The same done to many: asks where it cannot be undone, then says how far it is, and each failure with its reason. */
export function BulkDialog({ deed: first, items: all, kind, workspace, onClose }: BulkDialogProps): ReactElement {
  const [deed, setDeed] = useState(first);
  const [items, setItems] = useState(all);
  const [progress, setProgress] = useState<Progress<Chosen>>();
  const stop = useRef<AbortController>(undefined);
  const changed = useRef(new Set<string>());
  const many = (count: number) => plural(count, kinds[kind].one, kinds[kind].many.toLowerCase());

  const begin = async (what: Deed, to: readonly Chosen[]) => {
    setDeed(what);
    setItems(to);
    setProgress({ done: [], failed: [], isOver: false });
    stop.current = new AbortController();
    const { type } = kinds[kind];
    await runAll(
      to,
      async ({ id, name }) => {
        const which = { type, place: { workspace }, name, version: undefined };
        const refusal =
          what === 'delete'
            ? await deleteResource(which)
            : await updateResource(which, { spec: { enabled: what === 'switch-on' } });
        if (refusal !== undefined) return messagesOf(refusal).join(' ');
        if (what === first) changed.current.add(id);
        else changed.current.delete(id);
        return undefined;
      },
      setProgress,
      stop.current.signal,
    );
  };
  const begun = useRef(false);
  useEffect(() => {
    // What can be undone is done at once.
    if (first === 'delete' || begun.current) return;
    begun.current = true;
    void begin(first, all);
  });

  const close = () => {
    stop.current?.abort();
    onClose(all.filter(({ id }) => !changed.current.has(id)));
  };
  const { ask, doing, done: doneWord } = words[deed];
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
              <p>{goes[kind]} They cannot be brought back. What they cost stays on the bill.</p>
            </AlertDialog.Description>
          ) : (
            <Told progress={progress} count={items.length} />
          )}
          <div className="confirm-buttons">
            {progress === undefined ? (
              <>
                <AlertDialog.Close className="button">Keep them</AlertDialog.Close>
                <button type="button" className="button primary" onClick={() => void begin(deed, items)}>
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
                        deed,
                        progress.failed.map(({ item }) => item),
                      )
                    }
                  >
                    Try the {progress.failed.length} again
                  </button>
                )}
                {deed !== 'delete' && deed === first && progress.done.length > 0 && (
                  <button type="button" className="button" onClick={() => void begin(opposite(deed), progress.done)}>
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

function opposite(deed: Deed): Deed {
  return deed === 'switch-on' ? 'switch-off' : 'switch-on';
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

function Told({ progress, count }: { progress: Progress<Chosen>; count: number }): ReactElement {
  const { done, failed, isOver } = progress;
  const tried = done.length + failed.length;
  return (
    <>
      <progress max={count} value={tried} aria-label="How far it is" />
      <p role="status">
        {tried} of {count}
        {failed.length > 0 && `, ${failed.length} of them failed`}
        {isOver && tried < count && `, ${count - tried} left as they were`}.
      </p>
      {failed.length > 0 && (
        <ul className="bulk-failures" tabIndex={0} aria-label="What failed">
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
