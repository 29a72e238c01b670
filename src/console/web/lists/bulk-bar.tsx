import { useState } from 'react';
import type { ReactElement } from 'react';
import { shapesOf } from '../editing/shapes.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { plural } from '../look/amount.js';
import { BulkDialog } from './bulk-dialog.js';
import type { Deed } from './bulk-dialog.js';
import { chosenMax } from './find-all.js';
import type { Chosen, Selection } from './use-selection.js';
import './bulk.css';

interface BulkBarProps {
  kind: Kind;
  workspace: string;
  selection: Selection;
  /** How many match what the list is asked for. */
  count: number;
  /** All of those, as far as the most that can be done at once. */
  findAll: () => Promise<readonly Chosen[]>;
  onDone: () => void;
}

/** What can be done with the rows that are selected: it floats, so that nothing moves. */
export default function BulkBar({
  kind,
  workspace,
  selection,
  count,
  findAll,
  onDone,
}: BulkBarProps): ReactElement | null {
  const [deed, setDeed] = useState<{ what: Deed; to: readonly Chosen[] }>();
  const [isFinding, setFinding] = useState(false);
  const chosen = [...selection.chosen.values()];
  const canSwitch = shapesOf(`${kinds[kind].type}SpecUpdateInput`).some(({ name }) => name === 'enabled');
  const { clear } = selection;
  const begin = (what: Deed) => setDeed({ what, to: chosen });
  const chooseAll = async () => {
    setFinding(true);
    selection.choose(await findAll().catch(() => chosen));
    setFinding(false);
  };
  const rest = Math.min(count, chosenMax);
  return (
    <>
      {chosen.length > 0 && (
        <div className="bulk-bar" role="toolbar" aria-label="With what is selected">
          <span role="status">{plural(chosen.length, kinds[kind].one, kinds[kind].many.toLowerCase())} selected</span>
          {chosen.length < rest && (
            <button type="button" className="button bare" disabled={isFinding} onClick={() => void chooseAll()}>
              {isFinding ? 'Finding them…' : count > chosenMax ? `The first ${chosenMax}` : `All ${count}`}
            </button>
          )}
          {canSwitch && (
            <>
              <button type="button" className="button" onClick={() => begin('switch-off')}>
                Switch off
              </button>
              <button type="button" className="button" onClick={() => begin('switch-on')}>
                Switch on
              </button>
            </>
          )}
          <button type="button" className="button" onClick={() => begin('delete')}>
            Delete…
          </button>
          <button type="button" className="button bare" onClick={clear}>
            Clear <kbd>Esc</kbd>
          </button>
        </div>
      )}
      {deed !== undefined && (
        <BulkDialog
          deed={deed.what}
          items={deed.to}
          kind={kind}
          workspace={workspace}
          onClose={(left) => {
            setDeed(undefined);
            selection.choose(left);
            onDone();
          }}
        />
      )}
    </>
  );
}
