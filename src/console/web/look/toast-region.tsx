import { Toast } from '@base-ui/react/toast';
import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { Icon } from './icon.js';
import { regionIsShown, toastManager } from './toasts.js';
import './toasts.css';

/** Where toasts appear. */
export function ToastRegion(): ReactElement {
  useEffect(regionIsShown, []);
  return (
    <Toast.Provider toastManager={toastManager}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList(): ReactElement[] {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      role="group"
      aria-modal={undefined}
      className={toast.type === 'failure' ? 'toast failure' : 'toast'}
    >
      <Toast.Content className="toast-content">
        <div className="toast-text">
          <Toast.Title render={<p />} />
          <Toast.Description className="quiet" />
        </div>
        <Toast.Action className="button" />
        <button
          type="button"
          className="button bare square"
          aria-label="Dismiss"
          onClick={() => toastManager.close(toast.id)}
        >
          <Icon name="close" />
        </button>
      </Toast.Content>
    </Toast.Root>
  ));
}
