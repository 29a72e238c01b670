import { Outlet, useLocation, useParams, useRouter, useRouterState } from '@tanstack/react-router';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { loadPart } from '../api/load-part.js';
import { usePolling } from '../api/use-polling.js';
import { isKind } from '../kinds/kinds.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { ConnectionBanner } from './connection-banner.js';
import { Header } from './header.js';
import { Rail } from './rail.js';
import { rememberResource } from './recent.js';
import { useShortcuts } from './shortcuts.js';
import { useCalm } from './use-calm.js';
import { useKeptFocus } from './use-kept-focus.js';
import { homeWorkspace, rememberWorkspace, ViewerContext, viewerQuery } from './viewer.js';
import './frame.css';

const Palette = lazy(async () => ({ default: (await loadPart(() => import('./palette.js'))).Palette }));
const ToastRegion = lazy(async () => ({
  default: (await loadPart(() => import('../look/toast-region.js'))).ToastRegion,
}));
const ShortcutSheet = lazy(async () => ({
  default: (await loadPart(() => import('./shortcut-sheet.js'))).ShortcutSheet,
}));

/** How often the roles of the user are read again, which others can change (milliseconds). */
const pollMs = 60_000;

/** The rail, the header and the view. */
export function Frame(): ReactElement | null {
  const [{ data, error }, again] = useAnswer({ query: viewerQuery, requestPolicy: 'cache-first' });
  usePolling(again, pollMs);
  const { workspace: named, kind, name } = useParams({ strict: false });
  const { pathname } = useLocation();
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' });
  const isCalm = useCalm();
  const [isRailOpen, setRailOpen] = useState(false);
  useEffect(() => setRailOpen(false), [pathname]);
  useFocusInNextView();
  useKeptFocus();
  useEffect(() => {
    if (named !== undefined) rememberWorkspace(named);
  }, [named]);
  useEffect(() => {
    if (named !== undefined && kind !== undefined && name !== undefined && isKind(kind)) {
      rememberResource({ workspace: named, kind, name });
    }
  }, [named, kind, name]);
  const viewer = data?.viewer;
  const workspace = named ?? (viewer && homeWorkspace(viewer));
  const current = viewer?.workspaces.find(({ name }) => name === workspace);
  const account = viewer?.accounts.find(({ name }) => name === current?.account.name) ?? viewer?.accounts[0];
  const shortcuts = useShortcuts(
    workspace,
    account?.name,
    current?.viewerRole !== 'VIEWER',
    account?.viewerRole === 'ADMIN',
  );
  if (viewer === undefined) {
    return error === undefined ? (
      <div className="shell" aria-busy="true" />
    ) : (
      <main className="gate">
        <ConnectionBanner />
        <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
      </main>
    );
  }
  return (
    <ViewerContext value={viewer}>
      <a className="skip-link" href="#view">
        Skip to the content
      </a>
      {isLoading && <div className="loading-bar" aria-hidden="true" />}
      <div className="frame">
        <Rail workspace={workspace} isOpen={isRailOpen} isCalm={isCalm} onClose={() => setRailOpen(false)} />
        <div className="page">
          <Header onMenu={() => setRailOpen(true)} onSearch={() => shortcuts.setPaletteOpen(true)} />
          <ConnectionBanner />
          <main id="view" tabIndex={-1}>
            <Outlet />
          </main>
        </div>
      </div>
      {isCalm && (
        <Suspense>
          <Palette
            actions={shortcuts.actions}
            workspace={workspace}
            isOpen={shortcuts.isPaletteOpen}
            onOpenChange={shortcuts.setPaletteOpen}
          />
          <ShortcutSheet
            actions={shortcuts.actions}
            isOpen={shortcuts.isSheetOpen}
            onOpenChange={shortcuts.setSheetOpen}
          />
          <ToastRegion />
        </Suspense>
      )}
    </ViewerContext>
  );
}

/** Moves the focus to the next view if the view before took the focused element with it, such as the button of a dialog. */
function useFocusInNextView(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const before = useRef(path);
  useEffect(() => {
    const isFirst = before.current === undefined || before.current === path;
    before.current = path;
    if (isFirst) return undefined;
    // A dialog that closes returns the focus first.
    const timer = requestAnimationFrame(() => {
      if (document.activeElement === document.body) document.getElementById('view')?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(timer);
  }, [path]);
}

export function NotFound(): ReactElement {
  return (
    <div className="view">
      <h1 className="hidden">Page not found</h1>
      <Notice title="Page not found">
        It may have been deleted, or the URL is incomplete. To search, press <kbd>⌘</kbd> <kbd>K</kbd> or{' '}
        <kbd>Ctrl</kbd> <kbd>K</kbd>.
      </Notice>
    </div>
  );
}

/** An error of a view. The rest of the console keeps working. */
export function ViewFailure(props: ErrorComponentProps): ReactElement {
  const router = useRouter();
  const again = () => void router.invalidate().then(props.reset);
  return <FrameFailure {...props} reset={again} />;
}

/** An error of the frame, or of a view in it. */
export function FrameFailure({ error, reset }: ErrorComponentProps): ReactElement {
  return (
    <div className="view">
      <div className="notice failure" role="alert">
        <h2>This page failed to load</h2>
        <p className="quiet">{error instanceof Error ? error.message : String(error)}</p>
        <button type="button" className="button" onClick={reset}>
          Reload
        </button>
      </div>
    </div>
  );
}
