// The output of `apply`: a line for each document, its changes below it, and a summary.
import type { Outcome } from '../manifests/apply.js';
import { titleOf } from '../manifests/document.js';
import type { Place } from '../manifests/document.js';
import { visible } from './print.js';
import type { CommandResult } from './print.js';

export interface ApplyReport {
  outcome: (outcome: Outcome) => void;
  /** A document that cannot be read. */
  unreadable: (position: Place, problems: NonNullable<Outcome['problems']>) => void;
  /** A note about the whole run. */
  remark: (sentence: string) => void;
  /** The error that ended the run early. */
  failure: (reason: string) => void;
  /** The result, with the output that is not printed yet. */
  result: () => CommandResult;
}

export interface ApplyReportOptions {
  isDryRun: boolean;
  isJson: boolean;
  /** Prints the lines of an outcome as soon as it is known. Undefined if all output is in the result. */
  print?: ((text: string) => void) | undefined;
}

type Action = Outcome['action'];

interface Entry extends Omit<Outcome, 'reference'> {
  reference: Outcome['reference'] | undefined;
}

const actions: Action[] = ['created', 'updated', 'unchanged', 'deleted', 'refused'];

/** Maximum length of a value in the output (characters). */
const valueLengthMax = 80;

export function createApplyReport({ isDryRun, isJson, print }: ApplyReportOptions): ApplyReport {
  const entries: Entry[] = [];
  const remarks: string[] = [];
  const failures: string[] = [];
  const add = (entry: Entry) => {
    entries.push(entry);
    if (!isJson)
      print?.(
        linesOf(entry)
          .map((line) => `${line}\n`)
          .join(''),
      );
  };
  const count = (action: Action) => entries.filter((entry) => entry.action === action).length;
  return {
    outcome: add,
    unreadable: (position, problems) => add({ action: 'refused', reference: undefined, position, problems }),
    remark: (sentence) => void remarks.push(sentence),
    failure: (reason) => void failures.push(reason),
    result: () => {
      const unchecked = entries.filter(({ isUnchecked }) => isUnchecked).length;
      const counts = Object.fromEntries(actions.map((action) => [action, count(action)]));
      const summary = unchecked === 0 ? counts : { ...counts, unchecked };
      const warning = unchecked === 0 ? '' : ` ${unchecked} of them could not be checked yet.`;
      const sentence = `${actions.map((action) => `${count(action)} ${action}`).join(', ')}.${warning}`;
      const text = isDryRun ? `Dry run, nothing was changed: ${sentence}` : sentence;
      const stdout = isJson
        ? JSON.stringify({ dryRun: isDryRun, documents: entries.map(recordOf), remarks, summary })
        : [...(print === undefined ? entries.flatMap(linesOf) : []), ...remarks, text].join('\n');
      return {
        stdout: `${stdout}\n`,
        stderr: failures.map((reason) => `${visible(reason)}\n`).join(''),
        exitCode: count('refused') > 0 || failures.length > 0 ? 1 : 0,
      };
    },
  };
}

function linesOf({ action, reference, position, changes = [], problems = [], note }: Entry): string[] {
  const where = action === 'refused' && position !== undefined ? placeText(position) : undefined;
  const title = reference === undefined ? where : `${titleOf(reference)}${where === undefined ? '' : ` (${where})`}`;
  const first = `${action.padEnd('unchanged'.length)}  ${title}${note === undefined ? '' : `: ${note}`}`;
  const below = [
    ...changes.map(({ path, before, after }) => `${path}: ${valueText(before)} -> ${valueText(after)}`),
    ...problems.map((problem) => problemText(problem, reference === undefined)),
  ];
  return [visible(first), ...below.map((line) => `    ${visible(line)}`)];
}

function placeText({ file, document }: Place): string {
  return `${file}, document ${document}`;
}

/** Messages of the gateway already name the field. */
function problemText({ path, message, line }: NonNullable<Outcome['problems']>[number], isOurs: boolean): string {
  const field = isOurs && path.length > 0 ? `${path.join('.')} ` : '';
  return `${line === undefined ? '' : `line ${line}: `}${field}${message}`;
}

function valueText(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > valueLengthMax ? `${text.slice(0, valueLengthMax - 1)}…` : text;
}

function recordOf({ action, reference, position, changes, problems, note }: Entry): object {
  const where = reference && {
    kind: reference.kind.name,
    ...(reference.workspace === '' ? {} : { workspace: reference.workspace }),
    ...Object.fromEntries(reference.kind.parents.map(({ field }, depth) => [field, reference.parents[depth]])),
    name: reference.name,
  };
  return { action, ...where, ...position, changes, problems, note };
}
