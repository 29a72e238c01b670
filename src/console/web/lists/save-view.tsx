import { useState } from 'react';
import type { ReactElement } from 'react';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import type { ListSearch } from './list-search.js';
import { viewNameMax } from './saved-views.js';
import type { SavedViews } from './saved-views.js';

/** A button that saves the filters and the order of a list under a name. */
export default function SaveView({ search, saved }: { search: ListSearch; saved: SavedViews }): ReactElement {
  return (
    <FormDialog
      trigger="Save view…"
      title="Save view"
      description="Saves the filters and the order in this browser. To share a view, send its URL."
    >
      {(close) => (
        <ViewForm
          onSave={(name) => {
            saved.save(name, search);
            close();
          }}
        />
      )}
    </FormDialog>
  );
}

function ViewForm({ onSave }: { onSave: (name: string) => void }): ReactElement {
  const [name, setName] = useState('');
  return (
    <DialogForm
      submit="Save view"
      send={async () => {
        if (name.trim() === '') return 'Enter a name.';
        onSave(name.trim());
        return undefined;
      }}
    >
      <TextField label="Name" isRequired maxLength={viewNameMax} value={name} onChange={setName} />
    </DialogForm>
  );
}
