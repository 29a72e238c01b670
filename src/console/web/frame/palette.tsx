import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { client } from '../api/client.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { kindNames, kinds } from '../kinds/kinds.js';
import { Icon } from '../look/icon.js';
import type { Action } from './shortcuts.js';
import './palette.css';

const findQuery = graphql(`
  query Find($workspace: String!, $search: String!) {
    workspace(name: $workspace) {
      id
      agents(first: 6, search: $search) {
        nodes {
          id
          status
          metadata {
            name
            displayName
          }
        }
      }
      sandboxes(first: 4, search: $search) {
        nodes {
          id
          status
          metadata {
            name
            displayName
          }
        }
      }
      jobs(first: 4, search: $search) {
        nodes {
          id
          status
          metadata {
            name
            displayName
          }
        }
      }
      volumes(first: 4, search: $search) {
        nodes {
          id
          status
          metadata {
            name
            displayName
          }
        }
      }
      networks: vpcs(first: 4, search: $search) {
        nodes {
          id
          status
          metadata {
            name
            displayName
          }
        }
      }
    }
  }
`);

interface PaletteItem {
  value: string;
  label: string;
  hint: string;
  keys: readonly string[];
  run: () => void;
}

interface PaletteProps {
  actions: readonly Action[];
  workspace: string | undefined;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}

const typingMs = 120;

/** Searches resources of the workspace by name or label, and actions by title. */
export function Palette({ actions, workspace, isOpen, onOpenChange }: PaletteProps): ReactElement {
  const [text, setText] = useState('');
  useEffect(() => {
    if (isOpen) setText('');
  }, [isOpen]);
  const found = useFound(isOpen ? workspace : undefined, text.trim());
  const query = text.trim().toLowerCase();
  const items: PaletteItem[] = [
    ...found,
    ...actions
      .filter(({ title, group }) => `${group} ${title}`.toLowerCase().includes(query))
      .map(({ title, group, keys, run }) => ({ value: `${group} ${title}`, label: title, hint: group, keys, run })),
  ];
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="palette" aria-label="Search or run a command">
          <Autocomplete.Root
            open
            inline
            items={items}
            itemToStringValue={(item: PaletteItem) => item.label}
            value={text}
            onValueChange={(value, details) => {
              if (details.reason !== 'item-press') setText(value);
            }}
            filter={null}
            autoHighlight="always"
            keepHighlight
          >
            <div className="palette-input">
              <Icon name="search" />
              <Autocomplete.Input
                placeholder="Search resources or run a command"
                aria-label="Search or run a command"
              />
            </div>
            <Autocomplete.Empty className="palette-empty quiet">No matches in this workspace.</Autocomplete.Empty>
            <Autocomplete.List className="palette-list">
              {(item: PaletteItem) => (
                <Autocomplete.Item
                  key={item.value}
                  value={item}
                  className="palette-item"
                  onClick={() => {
                    onOpenChange(false);
                    item.run();
                  }}
                >
                  <span className="cut">{item.label}</span>
                  <span className="quiet cut">{item.hint}</span>
                  <span className="keys">
                    {item.keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </span>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useFound(workspace: string | undefined, search: string): PaletteItem[] {
  const navigate = useNavigate();
  const [found, setFound] = useState<NonNullable<ResultOf<typeof findQuery>['workspace']>>();
  const isSearching = workspace !== undefined && search.length >= 2;
  useEffect(() => {
    if (!isSearching) {
      setFound(undefined);
      return undefined;
    }
    let isCurrent = true;
    const find = async () => {
      const variables = { workspace, search };
      const { data } = await client.query(findQuery, variables, { requestPolicy: 'network-only' }).toPromise();
      if (isCurrent) setFound(data?.workspace ?? undefined);
    };
    const timer = setTimeout(() => void find(), typingMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [workspace, search, isSearching]);
  if (found === undefined || workspace === undefined) return [];
  return kindNames.flatMap((kind) =>
    (found[kind]?.nodes ?? []).map(({ id, metadata: { name, displayName } }) => ({
      value: id,
      label: name,
      hint: displayName === null ? kinds[kind].one : `${kinds[kind].one} · ${displayName}`,
      keys: [],
      run: () => void navigate({ to: '/w/$workspace/$kind/$name', params: { workspace, kind, name } }),
    })),
  );
}
