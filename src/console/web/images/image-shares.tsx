import { useState } from 'react';
import type { ReactElement } from 'react';
import { useAllNodes } from '../api/use-all-nodes.js';
import { useAnswer } from '../api/use-answer.js';
import { useRefresh } from '../api/use-refresh.js';
import { requestRefresh } from '../api/refresh.js';
import { perform } from '../api/perform.js';
import { useViewer } from '../frame/viewer.js';
import { DialogForm, FormDialog } from '../look/form-dialog.js';
import { FailureNotice } from '../look/notice.js';
import { PlainTable } from '../look/plain-table.js';
import { Skeletons } from '../look/skeletons.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { optionsShownMax } from '../look/first-options.js';
import { FurtherPages } from '../look/further-pages.js';
import { showToast } from '../look/toasts.js';
import { Section } from '../resources/section.js';
import { offeredSharesQuery, shareImageMutation } from './image-queries.js';
import type { Image } from './image-queries.js';
import { AnswerShare } from './share-answers.js';

interface ImageSharesProps {
  image: Image;
  workspace: string;
  isAdmin: boolean;
}

/** The workspaces that an image was shared with. */
export function ImageShares({ image, workspace, isAdmin }: ImageSharesProps): ReactElement {
  const { name, resourceType } = image.metadata;
  const variables = { workspace, filter: { imageName: { in: [name] }, resourceType: { in: [resourceType] } } };
  const [{ data, error }, again] = useAnswer({ query: offeredSharesQuery, variables });
  const refresh = () => again({ requestPolicy: 'network-only' });
  useRefresh(refresh);
  const shares = data?.workspace?.offeredImageShares;
  const all = useAllNodes(shares, {
    query: offeredSharesQuery,
    variables,
    pageOf: (answer) => answer.workspace?.offeredImageShares,
  });
  return (
    <Section title={shares == null ? 'Shares' : `Shares (${shares.filteredCount})`}>
      {shares == null ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={refresh} />
        )
      ) : shares.nodes.length === 0 ? (
        <p className="quiet">
          Not shared.{isAdmin ? '' : ' Only an admin of the workspace can share it.'} A workspace that accepts a share
          gets a copy of the image and its tags.
        </p>
      ) : (
        <PlainTable columns={['Workspace', 'State', 'Shared', 'Decided']} rows={all?.nodes ?? []}>
          {({ id, status, metadata }) => (
            <tr key={id}>
              <td className="mono">{metadata.workspaceName}</td>
              <td>
                <StateMark state={status} />
              </td>
              <td data-label="shared">
                <Time value={metadata.createdAt} />{' '}
                {metadata.createdBy !== null && <span className="quiet">by {metadata.createdBy}</span>}
              </td>
              <td data-label="decided">
                {metadata.decidedAt === null ? (
                  <span className="quiet">{status === 'PENDING' ? 'Not yet' : ''}</span>
                ) : (
                  <>
                    <Time value={metadata.decidedAt} />{' '}
                    {metadata.decidedBy !== null && <span className="quiet">by {metadata.decidedBy}</span>}
                  </>
                )}
              </td>
              <td>
                {isAdmin && status === 'PENDING' && (
                  <AnswerShare answer="revoke" id={id} image={name} other={metadata.workspaceName} onDone={refresh} />
                )}
              </td>
            </tr>
          )}
        </PlainTable>
      )}
      {shares != null && all !== undefined && <FurtherPages of="shares" list={all} totalCount={shares.filteredCount} />}
    </Section>
  );
}

/** Shares an image with a workspace, of this account or of another. */
export function ShareImage({ image, workspace }: { image: Image; workspace: string }): ReactElement {
  return (
    <FormDialog
      trigger="Share…"
      isPrimary
      title={`Share ${image.metadata.name}`}
      description="An admin of the other workspace accepts or declines. Until then, you can revoke the share."
    >
      {(close) => <ShareForm image={image} workspace={workspace} onDone={close} />}
    </FormDialog>
  );
}

interface ShareFormProps {
  image: Image;
  workspace: string;
  onDone: () => void;
}

function ShareForm({ image, workspace, onDone }: ShareFormProps): ReactElement {
  const { workspaces } = useViewer();
  const own = workspaces.find(({ name }) => name === workspace)?.account.name;
  const [target, setTarget] = useState('');
  const [account, setAccount] = useState('');
  const typed = target.trim().toLowerCase();
  const suggested = workspaces
    .filter((each) => each.name !== workspace && each.account.name === (account || own))
    .filter(({ name, displayName }) => `${name} ${displayName ?? ''}`.toLowerCase().includes(typed))
    .slice(0, optionsShownMax);
  const send = async () => {
    const why = await perform(shareImageMutation, {
      id: image.id,
      workspace: target.trim(),
      account: account.trim() === '' ? null : account.trim(),
    });
    if (why !== undefined) return why;
    showToast(`${image.metadata.name} shared with ${target.trim()}`);
    requestRefresh();
    onDone();
    return undefined;
  };
  return (
    <DialogForm submit="Share image" send={send}>
      <label>
        Workspace
        <input
          className="field"
          required
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          list="share-workspaces"
          value={target}
          onChange={(event) => setTarget(event.target.value)}
        />
        <span className="hint">Its name, such as meridian-staging.</span>
      </label>
      <datalist id="share-workspaces">
        {suggested.map(({ name, displayName }) => (
          <option key={name} value={name}>
            {displayName ?? name}
          </option>
        ))}
      </datalist>
      <label>
        Account
        <input
          className="field"
          placeholder={own}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={account}
          onChange={(event) => setAccount(event.target.value)}
        />
        <span className="hint">Empty for this account.</span>
      </label>
    </DialogForm>
  );
}
