import type { ReactElement } from 'react';
import { Choice } from '../look/choice.js';
import { FilterBar } from '../look/filter-bar.js';
import { resolutionOf } from './cost-query.js';
import type { CostQuestion } from './cost-query.js';
import { isResolution, resolutions } from './costs-search.js';
import type { CostsChange } from './costs-search.js';
import { FilterChips, FilterChoice } from './filter-choice.js';
import { GroupByChoice } from './group-by-choice.js';
import type { Billed } from './use-billed.js';
import { useUsedLabels } from './use-used-labels.js';
import { fits, inZone, isOfWeeks } from './window.js';
import { WindowChoice } from './window-choice.js';
import { keepZone, zoneSearch } from './zone.js';
import { ZoneChoice } from './zone-choice.js';

interface CostBarProps {
  question: CostQuestion;
  billed: Billed;
  isAdmin: boolean;
  onChange: (next: CostsChange) => void;
}

/** The controls of the cost query: date range, time zone, grouping, granularity, comparison and filters. */
export function CostBar({ question, billed, isAdmin, onChange }: CostBarProps): ReactElement {
  const { search, window, zone, by } = question;
  const used = useUsedLabels(question.account, window);
  const filters = [search.workspace, search.type, search.name, search.dimension, ...(search.label ?? [])].filter(
    (value) => value !== undefined,
  );
  return (
    <div className="cost-bar">
      <FilterBar count={filters.length}>
        <WindowChoice window={window} zone={zone} onChange={(next) => onChange({ ...next, resolution: undefined })} />
        <ZoneChoice
          zone={zone}
          onChange={(other) => {
            keepZone(other);
            onChange({ ...inZone(window, zone, other), zone: zoneSearch(other) });
          }}
        />
        <GroupByChoice by={by} used={used} isAdmin={isAdmin} onChange={(next) => onChange({ by: next })} />
        <Choice
          label="Granularity"
          value={resolutionOf(question)}
          options={Object.keys(resolutions)
            .filter(isResolution)
            .filter((value) => fits(value, window, zone))
            .map((value) => ({ value, label: resolutions[value].label }))}
          onChange={(value) => onChange({ resolution: value })}
        />
        <button
          type="button"
          className="button"
          aria-pressed={search.compare === true}
          title={
            isOfWeeks(window, zone)
              ? 'Compares each day to the same weekday'
              : 'To compare each day to the same weekday, choose 7 or 28 days'
          }
          onClick={() => onChange({ compare: search.compare === true ? undefined : true })}
        >
          Compare to previous period
        </button>
        <FilterChoice question={question} billed={billed} used={used} isAdmin={isAdmin} onChange={onChange} />
        <FilterChips search={search} onChange={onChange} />
      </FilterBar>
    </div>
  );
}
