import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { useAccount } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Setting, Settings } from '../look/settings.js';
import { Skeletons } from '../look/skeletons.js';
import { StateMark } from '../look/state-mark.js';
import { Section } from '../resources/section.js';
import { ConnectProvider } from './connect-provider.js';
import { GroupRoles } from './group-roles.js';
import { singleSignOnQuery } from './group-role-queries.js';
import { NewGroupRole } from './group-role-dialogs.js';
import { NoAccount } from './no-account.js';
import { ProviderFacts } from './provider-facts.js';
import './access-view.css';

const route = getRouteApi('/a/$account/single-sign-on');

/** The identity providers of an account, the one that it requires, and the roles of their groups. */
export function SingleSignOnView(): ReactElement {
  const { account: name } = route.useParams();
  const account = useAccount(name);
  if (account === undefined) return <NoAccount name={name} />;
  return account.viewerRole === 'ADMIN' ? <SingleSignOn key={account.id} known={account} /> : <ForAdmins />;
}

function SingleSignOn({ known }: { known: ViewerAccount }): ReactElement {
  const [{ data, error }, again] = useAnswer({ query: singleSignOnQuery, variables: { account: known.id } });
  const refresh = () => again({ requestPolicy: 'network-only' });
  const account = data?.account ?? undefined;
  const providers = account?.signInProviders ?? undefined;
  const roles = account?.groupRoles ?? undefined;
  const isLoaded = account !== undefined && providers !== undefined && roles !== undefined;
  return (
    <div className="view settings-view">
      <div className="view-bar">
        <h1>Single sign-on</h1>
        {isLoaded && providers.length > 0 && <NewGroupRole account={known} providers={providers} onDone={refresh} />}
      </div>
      {!isLoaded ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={refresh} />
        )
      ) : (
        <>
          {providers.length === 0 && (
            <>
              <Section title="Sign-in">
                <Settings>
                  <Setting name="Status">
                    <StateMark state="NOT_CONFIGURED" />
                    <span className="quiet">No identity provider serves this account.</span>
                  </Setting>
                </Settings>
              </Section>
              <ConnectProvider account={known.name} />
            </>
          )}
          {(providers.length > 0 || account.requiredSignInProvider !== null) && (
            <ProviderFacts name={known.name} account={account} providers={providers} onChange={refresh} />
          )}
          {(providers.length > 0 || roles.totalCount > 0) && (
            <GroupRoles account={known.id} roles={roles} providers={providers} onChange={refresh} />
          )}
        </>
      )}
    </div>
  );
}

/** Only admins can read the identity providers and the roles of groups. */
function ForAdmins(): ReactElement {
  return (
    <div className="view">
      <h1 className="hidden">Single sign-on</h1>
      <Notice title="Only account admins can view single sign-on">Ask an account admin for access.</Notice>
    </div>
  );
}
