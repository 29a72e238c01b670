import { useState } from 'react';
import type { ReactElement } from 'react';
import { useUsedLabels } from '../costs/use-used-labels.js';
import { presets } from '../costs/window.js';
import { zoneOf } from '../costs/zone.js';
import { Choice } from '../look/choice.js';
import { Icon } from '../look/icon.js';
import { OptionsState } from '../look/options-state.js';
import { SuggestedInput } from '../look/suggested-input.js';
import type { LabelCondition } from './budget-draft.js';

/** The API accepts this many different labels. */
const conditionsMax = 4;

const tests = [
  { value: 'IN', label: 'is one of' },
  { value: 'SET', label: 'is set' },
  { value: 'UNSET', label: 'is not set' },
] as const satisfies readonly { value: LabelCondition['test']; label: string }[];

interface LabelConditionsProps {
  /** The id of the account. */
  account: string;
  value: readonly LabelCondition[];
  onChange: (value: readonly LabelCondition[]) => void;
}

/** Conditions on the labels of the resources that a budget counts. All of them must hold. */
export function LabelConditions({ account, value, onChange }: LabelConditionsProps): ReactElement {
  const [lastMonth] = useState(() => presets.month.window(new Date(), zoneOf(undefined)));
  const { labels: used, state } = useUsedLabels(account, lastMonth);
  const change = (index: number, part: Partial<LabelCondition>) =>
    onChange(value.map((each, at) => (at === index ? { ...each, ...part } : each)));
  return (
    <fieldset className="label-conditions">
      <legend>Labels</legend>
      {value.map((condition, index) => (
        <div key={index} className="label-condition">
          <SuggestedInput
            aria-label={`Key of label ${index + 1}`}
            placeholder="Key, such as team"
            maxLength={63}
            value={condition.key}
            onChange={(key) => change(index, { key })}
            suggestions={used.map(({ key }) => key)}
          />
          <Choice
            label={`Condition of label ${index + 1}`}
            isLabelHidden
            value={condition.test}
            options={tests}
            onChange={(test) => change(index, { test })}
          />
          <button
            type="button"
            className="button bare square"
            aria-label={`Remove label ${index + 1}`}
            onClick={() => onChange(value.toSpliced(index, 1))}
          >
            <Icon name="close" />
          </button>
          {condition.test === 'IN' && (
            <textarea
              className="field lines"
              dir="auto"
              aria-label={`Values of label ${index + 1}, one in each line`}
              placeholder={placeholderOf(used.find(({ key }) => key === condition.key)?.values)}
              rows={2}
              value={condition.values}
              onChange={({ target }) => change(index, { values: target.value })}
            />
          )}
        </div>
      ))}
      {value.length > 0 && <OptionsState of="the labels in use" state={state} />}
      {value.length < conditionsMax && (
        <button
          type="button"
          className="button"
          onClick={() => onChange([...value, { key: '', test: 'IN', values: '' }])}
        >
          Add label
        </button>
      )}
    </fieldset>
  );
}

function placeholderOf(values: readonly string[] | undefined): string {
  return values?.[0] === undefined ? 'One value in each line' : values.slice(0, 2).join('\n');
}
