import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { fieldWord } from '../look/labels.js';
import { useNow } from '../look/time-text.js';
import { previewCron, runText } from './cron-text.js';
import { valueAt } from './document-path.js';
import { FieldRow } from './field-row.js';
import { useFormContext } from './form-context.js';
import type { FieldProps } from './shape-field.js';

/** A cron expression, in words and with its next runs. */
export function CronField({ shape, path, value, onChange }: FieldProps): ReactElement {
  const { resource } = useFormContext();
  const schedule = typeof value === 'string' ? value : '';
  const zone = resource && valueAt(resource.document, 'spec.timeZone');
  const timeZone = typeof zone === 'string' && zone !== '' ? zone : 'UTC';
  const now = useNow();
  const minute = Math.floor(now / 60_000);
  const preview = useMemo(
    () => (schedule.trim() === '' ? undefined : previewCron(schedule, timeZone, new Date(minute * 60_000))),
    [schedule, timeZone, minute],
  );
  // Half of an expression is not yet a mistake.
  const isPartial = schedule.trim().split(/\s+/).length < 5;
  const problem = preview !== undefined && 'problem' in preview && !isPartial ? preview.problem : undefined;
  return (
    <FieldRow path={path} label={fieldWord(shape.name)} hint={shape.hint} problem={problem}>
      {({ id, describedBy, isInvalid }) => (
        <>
          <input
            className="field mono"
            id={id}
            aria-describedby={describedBy === undefined ? `${id}-runs` : `${id}-runs ${describedBy}`}
            aria-invalid={isInvalid}
            autoComplete="off"
            spellCheck={false}
            placeholder="minute hour day month weekday"
            value={schedule}
            onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
          />
          <div id={`${id}-runs`} className="cron-runs" aria-live="polite">
            {preview !== undefined && 'runs' in preview && (
              <>
                <p>{preview.words}</p>
                {preview.runs.length === 0 ? (
                  <p className="wrong">This schedule never runs: its months do not have such a day.</p>
                ) : (
                  <p className="quiet">{`Next: ${preview.runs.map((run) => runText(run, timeZone)).join(' · ')}`}</p>
                )}
              </>
            )}
          </div>
        </>
      )}
    </FieldRow>
  );
}
