import { Menu } from '@base-ui/react/menu';
import { useNavigate } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../look/icon.js';
import { signIn, signOut } from '../session/session.js';
import { AccountMark, PlaceLabel } from './menu-label.js';
import { currentTheme, onThemeChange, setTheme, themes } from './theme.js';
import { titleOf, useViewer } from './viewer.js';

/** The user menu, with the theme. */
export function ViewerMenu({ title }: { title: string }): ReactElement {
  const viewer = useViewer();
  const theme = useSyncExternalStore(onThemeChange, currentTheme);
  const navigate = useNavigate();
  return (
    <PlaceMenu title={title} mark={<AccountMark title={title} />}>
      <Menu.Group>
        <Menu.GroupLabel className="group-label">
          {viewer.displayName ?? viewer.name}
          <br />
          {viewer.displayName === null ? '' : viewer.name}
        </Menu.GroupLabel>
        <Menu.Item onClick={() => void navigate({ to: '/profile' })}>Profile</Menu.Item>
        <Menu.Item onClick={() => void signIn({ chooseAccount: true })}>Switch account…</Menu.Item>
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Group>
      <Menu.Separator render={<hr />} />
      <Menu.RadioGroup value={theme} onValueChange={setTheme} aria-label="Theme">
        {themes.map((each) => (
          <OneOf key={each} value={each}>
            {{ system: 'System theme', light: 'Light theme', dark: 'Dark theme' }[each]}
          </OneOf>
        ))}
      </Menu.RadioGroup>
    </PlaceMenu>
  );
}

/** The workspace menu. */
export function WorkspaceMenu({ current, title }: { current: string; title: string }): ReactElement {
  const { workspaces } = useViewer();
  const navigate = useNavigate();
  return (
    <PlaceMenu title={title}>
      <Menu.RadioGroup
        value={current}
        onValueChange={(workspace: string) => void navigate({ to: '/w/$workspace', params: { workspace } })}
        aria-label="Workspace"
      >
        {workspaces.map((each) => (
          <OneOf key={each.name} value={each.name}>
            <span>
              {titleOf(each)}
              <br />
              <span className="quiet mono">{each.name}</span>
            </span>
          </OneOf>
        ))}
      </Menu.RadioGroup>
    </PlaceMenu>
  );
}

interface PlaceMenuProps {
  title: string;
  mark?: ReactNode;
  children: ReactNode;
}

function PlaceMenu({ title, mark, children }: PlaceMenuProps): ReactElement {
  return (
    <Menu.Root>
      <Menu.Trigger className="place-button">
        <PlaceLabel title={title} mark={mark} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="positioner" sideOffset={4} align="start">
          <Menu.Popup className="popup">{children}</Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function OneOf({ value, children }: { value: string; children: ReactNode }): ReactElement {
  return (
    <Menu.RadioItem value={value} closeOnClick>
      {children}
      <Menu.RadioItemIndicator className="end">
        <Icon name="check" />
      </Menu.RadioItemIndicator>
    </Menu.RadioItem>
  );
}
