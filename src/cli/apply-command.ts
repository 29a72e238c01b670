// `apply -f …` creates and updates resources from manifests, by the API of a running gateway.
import { applyDocuments } from '../manifests/apply.js';
import type { Outcome } from '../manifests/apply.js';
import { readDocumentFiles, UnreadableFileError } from '../manifests/document-files.js';
import type { DocumentFiles } from '../manifests/document-files.js';
import { GatewayError, RefusedError } from '../manifests/gateway-errors.js';
import { prune } from '../manifests/prune.js';
import { createApplyReport } from './apply-report.js';
import type { ApplyReport } from './apply-report.js';
import { UsageError } from './command.js';
import { counted } from './print.js';
import type { GatewayCommand, GatewaySession, Given, Interruptible } from './gateway-command.js';
import { openProgressBar } from './progress-bar.js';
import type { ProgressBar } from './progress-bar.js';

export const applyCommand: GatewayCommand = {
  name: 'apply',
  summary: 'Create or update resources from manifests. Unchanged resources are left alone.',
  arguments: [],
  options: [
    {
      flag: 'file',
      short: 'f',
      placeholder: 'FILE|FOLDER|-',
      description: 'Manifest (YAML or JSON, one or more documents), folder of manifests, or - for standard input.',
      isRequired: true,
    },
    {
      flag: 'workspace',
      placeholder: 'WORKSPACE',
      description: 'Workspace of documents that do not name one.',
      isRequired: false,
    },
    {
      flag: 'dry-run',
      placeholder: '',
      description: 'Show what would change, without changing anything.',
      isRequired: false,
      isSwitch: true,
    },
    {
      flag: 'keep-origin',
      placeholder: '',
      description:
        'Give new resources the createdAt and createdBy of their documents. For admins of the platform, with the scope admin.',
      isRequired: false,
      isSwitch: true,
    },
    {
      flag: 'prune',
      placeholder: 'LABEL=VALUE',
      description: 'Delete resources with this label that are in no document, in the workspaces of the documents.',
      isRequired: false,
    },
    { flag: 'json', placeholder: '', description: 'Print JSON.', isRequired: false, isSwitch: true },
  ],
  run: async (session, given) => {
    const isDryRun = given.has('dry-run');
    const label = labelOf(given.text('prune'));
    const files = await readFiles(session, given);
    const isJson = given.has('json');
    const { print, terminal } = session;
    if (files.bad.length > 0) {
      const report = createApplyReport({ isDryRun, isJson });
      refuseAll(files, report);
      return report.result();
    }
    const bar = openProgressBar(terminal, barFormat, files.documents.length);
    const printAbove = print && ((text: string) => bar.above(() => print(text)));
    const report = createApplyReport({ isDryRun, isJson, print: printAbove });
    const keepsOrigin = given.has('keep-origin');
    const options = { isDryRun, keepsOrigin, label, workspace: given.text('workspace'), bar };
    try {
      const { interruptible = uninterrupted } = session;
      await interruptible((interrupted) => carryOut(session, files, report, { ...options, interrupted }));
    } finally {
      bar.stop();
    }
    return report.result();
  },
};

const barFormat = 'Applying {bar} {value} of {total}, {eta_formatted} left';

const uninterrupted: Interruptible = (act) => act(new AbortController().signal);

async function readFiles({ folder, standardInput }: GatewaySession, given: Given): Promise<DocumentFiles> {
  const from = given.text('file') ?? '';
  try {
    const files = await readDocumentFiles({ from, folder, standardInput, workspace: given.text('workspace') });
    if (files.documents.length + files.bad.length === 0) throw new UsageError(`${from}: contains no documents`);
    return files;
  } catch (error) {
    throw error instanceof UnreadableFileError ? new UsageError(error.message) : error;
  }
}

function refuseAll({ bad }: DocumentFiles, report: ApplyReport): void {
  for (const { position, problems } of bad) report.unreadable(position, problems);
  report.remark('Nothing was changed. Fix the invalid documents first.');
}

interface Options {
  isDryRun: boolean;
  keepsOrigin: boolean;
  label: { key: string; value: string } | undefined;
  workspace: string | undefined;
  bar: ProgressBar;
  interrupted: AbortSignal;
}

async function carryOut(
  { gateway, tell: tellUser }: GatewaySession,
  { documents }: DocumentFiles,
  report: ApplyReport,
  { isDryRun, keepsOrigin, label, workspace, bar, interrupted }: Options,
): Promise<void> {
  let refused = 0;
  let reported = 0;
  /** The workspaces that a dry run would create. They have nothing to prune. */
  const toBeMade = new Set<string>();
  const tell = (outcome: Outcome) => {
    reported++;
    if (outcome.action === 'refused') refused++;
    if (isDryRun && outcome.action === 'created' && outcome.reference.kind.isFlat) toBeMade.add(outcome.reference.name);
    bar.update(reported);
    report.outcome(outcome);
  };
  interrupted.addEventListener('abort', () => {
    bar.stop();
    tellUser('Interrupted. Requests in progress finish. Press Ctrl+C again to end at once.');
  });
  try {
    await applyDocuments(gateway, documents, { isDryRun, keepsOrigin, tell, interrupted });
    if (label !== undefined && !interrupted.aborted) {
      if (refused > 0) report.remark('Nothing was deleted. Fix the rejected documents first.');
      else {
        const named = documents.map((document) => (document.kind.isFlat ? document.name : document.workspace));
        const places = new Set(workspace === undefined ? named : [...named, workspace]);
        const workspaces = [...places].filter((place) => !toBeMade.has(place));
        const plan = (count: number) => bar.setTotal(documents.length + count);
        const { remark } = report;
        await prune(gateway, { label, workspaces, documents, isDryRun, tell, plan, remark, interrupted });
      }
    }
  } catch (error) {
    if (!(error instanceof GatewayError || error instanceof RefusedError)) throw error;
    report.failure(error.message);
  }
  const remaining = documents.length - reported;
  if (interrupted.aborted && (remaining > 0 || label !== undefined)) {
    report.failure('Interrupted. Run the command again to continue.');
  }
  if (remaining > 0)
    report.remark(
      `${counted(remaining, 'document')} ${remaining === 1 ? 'was' : 'were'} not applied. Run the command again.`,
    );
}

function labelOf(text: string | undefined): { key: string; value: string } | undefined {
  if (text === undefined) return undefined;
  const [key = '', ...value] = text.split('=');
  if (key === '' || value.length === 0)
    throw new UsageError('--prune: must be a label and its value, such as team=care');
  return { key, value: value.join('=') };
}
