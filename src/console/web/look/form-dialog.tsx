import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import type { FormEvent, ReactElement, ReactNode } from 'react';

interface FormDialogProps {
  /** What stands on the button that opens it. */
  trigger: string;
  /** What the button says to who does not see what it stands beside. */
  label?: string;
  isPrimary?: boolean;
  title: string;
  description?: ReactNode;
  /** A form that starts anew each time that it is opened. */
  children: (close: () => void) => ReactNode;
}

/** A few fields in a window of their own. */
export function FormDialog({ trigger, label, isPrimary, title, description, children }: FormDialogProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root
      open={isOpen}
      onOpenChange={(next, { reason }) => {
        // A slip of the mouse must not lose what was written.
        if (next || reason !== 'outside-press') setOpen(next);
      }}
    >
      <Dialog.Trigger className={isPrimary === true ? 'button primary' : 'button'} aria-label={label}>
        {trigger}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="confirm">
          <Dialog.Title render={<h2 />}>{title}</Dialog.Title>
          {description !== undefined && <Dialog.Description className="quiet">{description}</Dialog.Description>}
          {children(() => setOpen(false))}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface DialogFormProps {
  /** What the button says that sends it. */
  submit: string;
  /** @returns why it did not work, for people; undefined when it did. */
  send: () => Promise<string | undefined>;
  children: ReactNode;
}

/** What stands in such a window: the fields, what was wrong with them, and the way out. */
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
      {problem !== undefined && (
        <p className="problem wrap" role="alert">
          {problem}
        </p>
      )}
      <div className="confirm-buttons">
        <Dialog.Close className="button">Cancel</Dialog.Close>
        <button type="submit" className="button primary" disabled={isBusy}>
          {submit}
        </button>
      </div>
    </form>
  );
}

interface TextFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  type?: 'text' | 'email';
  inputMode?: 'text' | 'decimal' | 'numeric';
  isRequired?: boolean;
  maxLength?: number;
  placeholder?: string;
}

export function TextField(props: TextFieldProps): ReactElement {
  const { label, value, onChange, hint, type = 'text', inputMode, isRequired = false, maxLength, placeholder } = props;
  return (
    <label>
      {label}
      <input
        className="field"
        type={type}
        inputMode={inputMode}
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
