import { Menu } from '@base-ui/react/menu';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../api/graphql.js';
import { useViewer } from '../frame/viewer.js';
import { Choice } from '../look/choice.js';
import { Icon } from '../look/icon.js';
import { wordOf, dimensionWord } from '../look/words.js';
import type { CostQuestion } from './cost-question.js';
import { dimensionNames, dimensions, isResolution, resolutions } from './costs-search.js';
import type { CostsChange, CostsSearch, Dimension, Resolution } from './costs-search.js';
import { fits, isPreset, presetOf, presets, windowText } from './window.js';

const typesQuery = graphql(`
  query MetricsTypes($account: ID!, $startTime: DateTime!, $endTime: DateTime!) {
    account(id: $account) {
      id
      metricsResourceTypes(startTime: $startTime, endTime: $endTime)
      metricsSettings {
        groupByMax
        billingDimensions {
          name
          resourceType
        }
      }
    }
  }
`);

interface CostBarProps {
  question: CostQuestion;
  isAdmin: boolean;
  resolution: Resolution;
  onChange: (next: CostsChange) => void;
}

/** The question as a sentence, each part of which can be changed. */
export function CostBar({ question, isAdmin, resolution, onChange }: CostBarProps): ReactElement {
  const { search, window, by } = question;
  const preset = presetOf(window, new Date());
  const names = Object.keys(presets).filter(isPreset);
  return (
    <div className="cost-bar">
      <Choice
        label="Window"
        value={preset ?? 'custom'}
        options={[
          ...names.map((value) => ({ value, label: presets[value].label })),
          ...(preset === undefined ? [{ value: 'custom' as const, label: windowText(window) }] : []),
        ]}
        onChange={(value) => {
          if (value !== 'custom') onChange({ ...presets[value].window(new Date()), resolution: undefined });
        }}
      />
      <GroupByMenu by={by} isAdmin={isAdmin} onChange={(next) => onChange({ by: next })} />
      <Choice
        label="Per"
        value={resolution}
        options={Object.keys(resolutions)
          .filter(isResolution)
          .filter((value) => fits(value, window))
          .map((value) => ({ value, label: resolutions[value].label }))}
        onChange={(value) => onChange({ resolution: value })}
      />
      <button
        type="button"
        className="button"
        aria-pressed={search.compare === true}
        onClick={() => onChange({ compare: search.compare === true ? undefined : true })}
      >
        Compare with before
      </button>
      <FilterMenu question={question} isAdmin={isAdmin} onChange={onChange} />
      <Chips search={search} onChange={onChange} />
      <span className="quiet cost-zone">Days, weeks and months are those of UTC.</span>
    </div>
  );
}

function GroupByMenu({
  by,
  isAdmin,
  onChange,
}: {
  by: readonly Dimension[];
  isAdmin: boolean;
  onChange: (by: Dimension[]) => void;
}): ReactElement {
  const offered = dimensionNames.filter((name) => isAdmin || name !== 'workspace');
  return (
    <Menu.Root>
      <Menu.Trigger className="button choice">
        <span className="quiet">By</span>
        {by.map((name) => dimensions[name].label).join(' and ')}
        <Icon name="down" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="positioner" sideOffset={4} align="start">
          <Menu.Popup className="popup">
            <Menu.Group>
              <Menu.GroupLabel className="group-label">Up to three</Menu.GroupLabel>
              {offered.map((name) => (
                <Menu.CheckboxItem
                  key={name}
                  checked={by.includes(name)}
                  disabled={(by.length >= 3 && !by.includes(name)) || (by.length === 1 && by.includes(name))}
                  onCheckedChange={(isChecked) =>
                    onChange(isChecked ? [...by, name] : by.filter((each) => each !== name))
                  }
                >
                  {dimensions[name].label}
                  <Menu.CheckboxItemIndicator className="end">
                    <Icon name="check" />
                  </Menu.CheckboxItemIndicator>
                </Menu.CheckboxItem>
              ))}
            </Menu.Group>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function FilterMenu({ question, isAdmin, onChange }: Omit<CostBarProps, 'resolution'>): ReactElement {
  const { account, window } = question;
  const [isOpen, setOpen] = useState(false);
  const [{ data }] = useQuery({
    query: typesQuery,
    variables: { account, startTime: window.from, endTime: window.to },
    requestPolicy: 'cache-first',
    pause: !isOpen,
  });
  const { workspaces } = useViewer();
  return (
    <Menu.Root open={isOpen} onOpenChange={setOpen}>
      <Menu.Trigger className="button">Filter</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="positioner" sideOffset={4} align="start">
          <Menu.Popup className="popup">
            {isAdmin && (
              <Menu.Group>
                <Menu.GroupLabel className="group-label">Workspace</Menu.GroupLabel>
                {workspaces
                  .filter((workspace) => workspace.account.id === account)
                  .map(({ name }) => (
                    <Menu.Item key={name} onClick={() => onChange({ workspace: name })}>
                      {name}
                    </Menu.Item>
                  ))}
              </Menu.Group>
            )}
            <Menu.Group>
              <Menu.GroupLabel className="group-label">Resource type</Menu.GroupLabel>
              {data?.account?.metricsResourceTypes.map((type) => (
                <Menu.Item key={type} onClick={() => onChange({ type })}>
                  {wordOf(type)}
                </Menu.Item>
              ))}
            </Menu.Group>
            <Menu.Group>
              <Menu.GroupLabel className="group-label">What is billed</Menu.GroupLabel>
              {data?.account?.metricsSettings.billingDimensions.map(({ name }) => (
                <Menu.Item key={name} onClick={() => onChange({ dimension: name.toLowerCase() })}>
                  {dimensionWord(name)}
                </Menu.Item>
              ))}
            </Menu.Group>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Chips({ search, onChange }: { search: CostsSearch; onChange: CostBarProps['onChange'] }): ReactElement | null {
  const { workspace, type, name, dimension } = search;
  const chips = [
    { field: 'workspace' as const, word: 'workspace is', value: workspace },
    { field: 'type' as const, word: 'type is', value: type === undefined ? undefined : wordOf(type) },
    { field: 'name' as const, word: 'resource is', value: name },
    {
      field: 'dimension' as const,
      word: 'billed is',
      value: dimension === undefined ? undefined : dimensionWord(dimension),
    },
  ].filter(({ value }) => value !== undefined);
  if (chips.length === 0) return null;
  return (
    <ul className="chips" aria-label="Filters">
      {chips.map(({ field, word, value }) => (
        <li key={field}>
          <button
            type="button"
            className="chip"
            onClick={() => onChange({ [field]: undefined })}
            title="Drop this filter"
          >
            <span className="quiet">{word}</span> {value}
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
