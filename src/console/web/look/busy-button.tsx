import type { ComponentProps, ReactElement } from 'react';

interface BusyButtonProps extends ComponentProps<'button'> {
  /** Whether its action is running. */
  isBusy: boolean;
}

/** A button that ignores presses while its action runs. It is not `disabled`, which would take the focus away from it. */
export function BusyButton({ isBusy, onClick, type = 'button', ...rest }: BusyButtonProps): ReactElement {
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={isBusy}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    />
  );
}
