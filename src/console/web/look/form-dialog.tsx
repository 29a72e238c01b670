import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import type { FormEvent, ReactElement, ReactNode } from 'react';
import { EntryDialog } from './entry-dialog.js';
import type { DialogControl } from './row-menu.js';
import { Problems } from './problems.js';
import { BusyButton } from './busy-button.js';

interface FormDialogProps {
  /** The label of the button that opens the dialog. Without one, `control` opens it. */
  trigger?: string;
  control?: DialogControl;
  /** The accessible name of that button, if its context is not enough. */
  label?: string;
  isPrimary?: boolean;
  isWide?: boolean;
  /** Whether everything entered is saved, so that closing loses nothing. */
  isSaved?: boolean;
  title: string;
  description?: ReactNode;
  /** The form, which is reset each time the dialog opens. */
  children: (close: () => void) => ReactNode;
}

/** A dialog with a form. */
export function FormDialog(props: FormDialogProps): ReactElement {
  const { trigger, label, isPrimary, isWide = false, isSaved = false, title, description, children, control } = props;
  const [isOpenItself, setOpenItself] = useState(false);
  const { isOpen, onOpenChange: setOpen } = control ?? { isOpen: isOpenItself, onOpenChange: setOpenItself };
  return (
    <EntryDialog
      isOpen={isOpen}
      onOpenChange={setOpen}
      isWide={isWide}
      {...(isSaved ? { hasEntries: false } : {})}
      trigger={
        trigger !== undefined && (
          <Dialog.Trigger className={isPrimary === true ? 'button primary' : 'button'} aria-label={label}>
            {trigger}
          </Dialog.Trigger>
        )
      }
    >
      <Dialog.Title render={<h2 />}>{title}</Dialog.Title>
      {description !== undefined && <Dialog.Description className="quiet">{description}</Dialog.Description>}
      {children(() => setOpen(false))}
    </EntryDialog>
  );
}

interface DialogFormProps {
  /** The label of the submit button. */
  submit: string;
  /** @returns an error message, or undefined on success. */
  send: () => Promise<string | undefined>;
  children: ReactNode;
}

/** The form of a dialog: fields, error message and buttons. */
export function DialogForm({ submit, send, children }: DialogFormProps): ReactElement {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(await send());
    setBusy(false);
  };
  return (
    <form className="form" onSubmit={(event) => void onSubmit(event)}>
      {children}
      <Problems text={problem} />
      <div className="confirm-buttons">
        <Dialog.Close className="button">Cancel</Dialog.Close>
        <BusyButton type="submit" className="button primary" isBusy={isBusy}>
          {submit}
        </BusyButton>
      </div>
    </form>
  );
}

interface TextFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: string | undefined;
  type?: 'text' | 'email';
  inputMode?: 'text' | 'decimal' | 'numeric';
  /** Regular expression that the text must match. */
  pattern?: string;
  isRequired?: boolean;
  maxLength?: number;
  placeholder?: string;
}

export function TextField(props: TextFieldProps): ReactElement {
  const { label, value, onChange, hint, type = 'text', inputMode, pattern, isRequired = false } = props;
  const { maxLength, placeholder } = props;
  return (
    <label>
      {label}
      <input
        className="field"
        dir="auto"
        type={type}
        inputMode={inputMode}
        pattern={pattern}
        required={isRequired}
        maxLength={maxLength}
        placeholder={placeholder}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint !== undefined && <span className="hint">{hint}</span>}
    </label>
  );
}
