import { CombinedError } from '@urql/core';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { unreadReason } from '../api/reading.js';
import { shapesOf } from '../editing/shapes.js';
import { useCanChange, ViewOnly } from '../frame/change-rights.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { plural } from '../look/amount.js';
import type { BulkAction } from './bulk-action.js';
import { BulkDialog } from './bulk-dialog.js';
import { chosenMax } from './find-all.js';
import type { Chosen, Selection } from './use-selection.js';
import { BusyButton } from '../look/busy-button.js';
import './bulk.css';

interface BulkBarProps {
  kind: Kind;
  workspace: string;
  selection: Selection;
  /** The number of rows that match the query. */
  count: number;
  /** Loads all of them, up to the limit of a bulk action. */
  findAll: () => Promise<readonly Chosen[]>;
  onDone: () => void;
}

/** The actions for the selected rows. It floats, so that the layout does not shift. */
export default function BulkBar({
  kind,
  workspace,
  selection,
  count,
  findAll,
  onDone,
}: BulkBarProps): ReactElement | null {
  const [action, setBulkAction] = useState<{ what: BulkAction; to: readonly Chosen[] }>();
  const [isFinding, setFinding] = useState(false);
  const [problem, setProblem] = useState<string>();
  const latest = useRef<Selection['chosen']>(undefined);
  useEffect(() => {
    latest.current = selection.chosen;
    return () => {
      latest.current = undefined;
    };
  });
  const chosen = [...selection.chosen.values()];
  const canSwitch = shapesOf(`${kinds[kind].type}SpecUpdateInput`).some(({ name }) => name === 'enabled');
  const canChange = useCanChange(workspace);
  const { clear } = selection;
  const begin = (what: BulkAction) => setBulkAction({ what, to: chosen });
  const chooseAll = async () => {
    setFinding(true);
    setProblem(undefined);
    try {
      const found = await findAll();
      // Meanwhile, the user may have selected other rows, or none.
      if (latest.current === selection.chosen) selection.choose(found);
    } catch (error) {
      if (!(error instanceof CombinedError)) throw error;
      setProblem(`Could not select all. ${unreadReason(error)}`);
    }
    setFinding(false);
  };
  const remaining = Math.min(count, chosenMax);
  return (
    <>
      {chosen.length > 0 && (
        <div className="bulk-bar" role="toolbar" aria-label="Bulk actions">
          <span role="status">{plural(chosen.length, kinds[kind].one, kinds[kind].many.toLowerCase())} selected</span>
          {chosen.length < remaining && (
            <BusyButton className="button bare" isBusy={isFinding} onClick={() => void chooseAll()}>
              {isFinding ? 'Selecting…' : count > chosenMax ? `Select first ${chosenMax}` : `Select all ${count}`}
            </BusyButton>
          )}
          {problem !== undefined && <span role="alert">{problem}</span>}
          {!canChange && <ViewOnly />}
          {canChange && canSwitch && (
            <>
              <button type="button" className="button" onClick={() => begin('disable')}>
                Disable
              </button>
              <button type="button" className="button" onClick={() => begin('enable')}>
                Enable
              </button>
            </>
          )}
          {canChange && (
            <button type="button" className="button" onClick={() => begin('delete')}>
              Delete…
            </button>
          )}
          <button type="button" className="button bare" onClick={clear}>
            Clear <kbd>Esc</kbd>
          </button>
        </div>
      )}
      {action !== undefined && (
        <BulkDialog
          action={action.what}
          items={action.to}
          kind={kind}
          workspace={workspace}
          onClose={(remaining) => {
            setBulkAction(undefined);
            selection.choose(remaining);
            onDone();
          }}
        />
      )}
    </>
  );
}
