import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { plural } from '../look/amount.js';
import { nanoFrom } from '../look/decimal.js';
import { DialogForm, FormDialog, TextField } from '../look/form-dialog.js';
import { Money } from '../look/money-text.js';
import { Problems } from '../look/problems.js';
import type { DialogControl } from '../look/row-menu.js';
import { showToast } from '../look/toasts.js';
import { correctUsage } from './usage-correction.js';
import type { CorrectionResult } from './usage-correction.js';
import type { UsageEventFilter } from './usage-query.js';

interface CorrectUsageProps {
  control: DialogControl;
  /** The name of the account. */
  account: string;
  /** The events to correct. */
  filter: UsageEventFilter;
  action: 'void' | 'amend';
}

const pauseMs = 400;
/** Sent with a dry run, which records nothing. */
const dryRunReason = 'Dry run';

/** The dialog to void or amend usage events. A dry run shows how many change, and their costs before and after. */
export function CorrectUsage({ control, account, filter, action }: CorrectUsageProps): ReactElement {
  return (
    <FormDialog
      control={control}
      title={action === 'void' ? 'Void usage events' : 'Amend usage events'}
      description={
        action === 'void'
          ? 'Voided events count in no cost, and cannot be sent again. This cannot be undone.'
          : 'Empty fields keep their values. The correction is recorded in the change log.'
      }
    >
      {(close) => <CorrectionForm account={account} filter={filter} action={action} close={close} />}
    </FormDialog>
  );
}

type CorrectionFormProps = Omit<CorrectUsageProps, 'control'> & { close: () => void };

function CorrectionForm({ account, filter, action, close }: CorrectionFormProps): ReactElement {
  const [values, setValues] = useState({ usage: '', unitPrice: '', cost: '' });
  const [reason, setReason] = useState('');
  const [dryRun, setDryRun] = useState<CorrectionResult | string>();
  const isEmpty = Object.values(values).every((value) => value.trim() === '');
  const change = action === 'void' ? undefined : filledIn(values);
  const isReady = action === 'void' || !isEmpty;
  const asked = JSON.stringify({ account, filter, change });
  useEffect(() => {
    setDryRun(undefined);
    if (!isReady) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      const ask = async () => {
        const result = await correctUsage({ ...JSON.parse(asked), reason: dryRunReason }, true);
        if (isCurrent) setDryRun(result);
      };
      void ask();
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [asked, isReady]);
  const send = async () => {
    if (!isReady) return 'Enter a new quantity, unit price or cost.';
    const result = await correctUsage({ account, filter, change, reason: reason.trim() }, false);
    if (typeof result === 'string') return result;
    showToast(`${plural(result.count, 'event')} ${action === 'void' ? 'voided' : 'amended'}`);
    close();
    return undefined;
  };
  const field = (name: keyof typeof values, label: string) => (
    <TextField
      label={label}
      inputMode="decimal"
      value={values[name]}
      onChange={(value) => setValues((before) => ({ ...before, [name]: value }))}
    />
  );
  return (
    <DialogForm submit={action === 'void' ? 'Void events' : 'Amend events'} send={send}>
      {action === 'amend' && (
        <>
          {field('usage', 'Quantity')}
          {field('unitPrice', 'Unit price (USD)')}
          {field('cost', 'Cost (USD)')}
        </>
      )}
      <TextField
        label="Reason"
        hint="Recorded in the change log."
        isRequired
        maxLength={500}
        value={reason}
        onChange={setReason}
      />
      {typeof dryRun === 'string' ? (
        <Problems text={dryRun} />
      ) : (
        <p role="status">
          {dryRun === undefined ? (
            <span className="quiet">{isReady ? 'Calculating…' : 'Enter a new value to see what changes.'}</span>
          ) : (
            <>
              Changes {plural(dryRun.count, 'event')}: <Money nano={nanoFrom(dryRun.costBefore)} /> →{' '}
              <Money nano={nanoFrom(dryRun.costAfter)} />
            </>
          )}
        </p>
      )}
    </DialogForm>
  );
}

/** The values that are not empty. */
function filledIn(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, value.trim()]])),
  );
}
