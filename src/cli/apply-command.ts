// `apply -f …` creates and updates resources from manifests, by the API of a running gateway.
import { applyDocuments } from '../manifests/apply.js';
import type { Outcome } from '../manifests/apply.js';
import { readDocumentFiles, UnreadableFileError } from '../manifests/document-files.js';
import type { DocumentFiles } from '../manifests/document-files.js';
import { GatewayError } from '../manifests/gateway.js';
import { prune } from '../manifests/prune.js';
import { createApplyReport } from './apply-report.js';
import type { ApplyReport } from './apply-report.js';
import { UsageError } from './command.js';
import { counted } from './print.js';
import type { GatewayCommand, GatewaySession, Given } from './gateway-command.js';

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
    const report = createApplyReport({ isDryRun, isJson: given.has('json') });
    if (files.bad.length > 0) refuseAll(files, report);
    else await carryOut(session, files, report, { isDryRun, label, workspace: given.text('workspace') });
    return report.result();
  },
};

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
  label: { key: string; value: string } | undefined;
  workspace: string | undefined;
}

async function carryOut(
  { gateway }: GatewaySession,
  { documents }: DocumentFiles,
  report: ApplyReport,
  { isDryRun, label, workspace }: Options,
): Promise<void> {
  let refused = 0;
  let reported = 0;
  const reportOutcome = (outcome: Outcome) => {
    reported++;
    if (outcome.action === 'refused') refused++;
    report.outcome(outcome);
  };
  try {
    await applyDocuments(gateway, documents, { isDryRun, tell: reportOutcome });
    if (label === undefined) return;
    if (refused > 0) report.remark('Nothing was deleted. Fix the rejected documents first.');
    else {
      const named = documents.map((document) => (document.kind.isFlat ? document.name : document.workspace));
      const workspaces = [...new Set(workspace === undefined ? named : [...named, workspace])];
      const { remark } = report;
      await prune(gateway, { label, workspaces, documents, isDryRun, tell: reportOutcome, remark });
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    report.failure(error.message);
    const remaining = documents.length - reported;
    if (remaining > 0)
      report.remark(
        `${counted(remaining, 'document')} ${remaining === 1 ? 'was' : 'were'} not applied. Run the command again.`,
      );
  }
}

function labelOf(text: string | undefined): { key: string; value: string } | undefined {
  if (text === undefined) return undefined;
  const [key = '', ...value] = text.split('=');
  if (key === '' || value.length === 0)
    throw new UsageError('--prune: must be a label and its value, such as team=care');
  return { key, value: value.join('=') };
}
