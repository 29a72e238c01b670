import type { ReactElement } from 'react';
import { useAllNodes } from '../api/use-all-nodes.js';
import { useAnswer } from '../api/use-answer.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { usePolling } from '../api/use-polling.js';
import { useViewer } from '../frame/viewer.js';
import { plural } from '../look/amount.js';
import { CopyButton } from '../look/copy-button.js';
import { Icon } from '../look/icon.js';
import { formatCount } from '../look/money.js';
import { MissingSection } from '../look/missing-section.js';
import { FailureNotice } from '../look/notice.js';
import { PageHeading } from '../look/page-heading.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { Skeletons } from '../look/skeletons.js';
import { ToneIcon } from '../look/state-mark.js';
import { Section } from '../resources/section.js';
import { executorsQuery, serves } from './executor-queries.js';
import type { Executor } from './executor-queries.js';
import { Executors } from './executors.js';
import '../access/access-view.css';
import './platform-view.css';

const platformQuery = graphql(`
  query Platform {
    configuration {
      detectedRegion
      continents {
        name
        displayName
      }
      countries {
        name
        displayName
      }
      privateLocations {
        name
      }
      regions {
        name
        location
        country
        continent
        allowed
        infoGeneration
        mk31Available
        drivesAvailable
        egressAvailable
        proxyAvailable
      }
    }
  }
`);

/** The executors, and the regions with their features. */
export function PlatformView(): ReactElement {
  const { isPlatformAdmin, accounts } = useViewer();
  const [{ data, error }, again] = useAnswer({ query: platformQuery });
  // Only admins of an account see executors.
  const variables = { all: isPlatformAdmin };
  const seesExecutors = isPlatformAdmin || accounts.some(({ viewerRole }) => viewerRole === 'ADMIN');
  const [ofExecutors, readExecutors] = useAnswer({ query: executorsQuery, variables, pause: !seesExecutors });
  const configuration = data?.configuration ?? undefined;
  const firstExecutors = ofExecutors.data?.executors ?? undefined;
  // Each time reads all pages: many executors are read less often.
  const pollMs = firstExecutors?.pageInfo.hasNextPage === true ? 60_000 : 15_000;
  usePolling(readExecutors, seesExecutors ? pollMs : undefined);
  // All of them: the page counts them by health and by region, and shows those with a problem first.
  const allExecutors = useAllNodes(firstExecutors, {
    query: executorsQuery,
    variables,
    pageOf: (answer) => answer.executors,
  });
  const executors = allExecutors?.nodes;
  const totalCount = firstExecutors?.totalCount ?? 0;
  if (configuration === undefined) {
    return (
      <div className="view platform">
        <PageHeading title="Platform" />
        {error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
        )}
      </div>
    );
  }
  const { regions, privateLocations, detectedRegion } = configuration;
  const country = (code: string) => configuration.countries.find(({ name }) => name === code)?.displayName ?? code;
  const continent = (code: string) => configuration.continents.find(({ name }) => name === code)?.displayName ?? code;
  const active = executors?.filter(({ revokedAt }) => revokedAt === null);
  return (
    <div className="view platform">
      <PageHeading
        title="Platform"
        essentials={
          <>
            {active !== undefined && active.length > 0 && <ExecutorHealth executors={active} />}
            <span>{plural(regions.length, 'region')}</span>
            {detectedRegion !== '' && (
              <span>
                Closest region: <span className="mono">{detectedRegion}</span>
              </span>
            )}
          </>
        }
      />
      {!seesExecutors && <p className="quiet">Only admins of an account see its executors.</p>}
      {seesExecutors && ofExecutors.data === undefined && (
        <MissingSection
          title="Executors"
          error={ofExecutors.error}
          onRetry={() => readExecutors({ requestPolicy: 'network-only' })}
        />
      )}
      {allExecutors !== undefined && (
        <Executors
          list={allExecutors}
          totalCount={totalCount}
          regions={regions.map(({ name }) => name)}
          onChange={() => readExecutors({ requestPolicy: 'network-only' })}
        />
      )}
      <Regions
        regions={regions.map((region) => ({
          ...region,
          place: [region.location, country(region.country)].filter((part) => part !== null).join(', '),
          continent: continent(region.continent),
          executorCount: isPlatformAdmin ? active?.filter((each) => serves(each, region.name)).length : undefined,
        }))}
      />
      {privateLocations.length > 0 && (
        <Section title="Private locations">
          <p className="quiet">Locations that only your account uses.</p>
          <ul className="private-locations">
            {privateLocations.map(({ name }) => (
              <li key={name}>
                <CopiedName name={name} />
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

/** How many executors are healthy, and how many are not. */
function ExecutorHealth({ executors }: { executors: readonly Executor[] }): ReactElement {
  const unhealthy = executors.filter(({ health }) => health !== 'HEALTHY').length;
  return (
    <>
      <span>{plural(executors.length, 'executor')}</span>
      {unhealthy > 0 && (
        <span className="state-mark failed">
          <ToneIcon tone="failed" />
          {formatCount(unhealthy)} not healthy
        </span>
      )}
    </>
  );
}

type Found = NonNullable<ResultOf<typeof platformQuery>['configuration']>['regions'][number];

interface Region extends Found {
  /** City and country. */
  place: string;
  /** The number of executors that serve it; undefined unless the user may know. */
  executorCount: number | undefined;
}

const features = [
  { label: 'Runs mk3.1', has: ({ mk31Available }: Region) => mk31Available },
  { label: 'Drives', has: ({ drivesAvailable }: Region) => drivesAvailable },
  { label: 'Egress', has: ({ egressAvailable }: Region) => egressAvailable },
  { label: 'Proxy', has: ({ proxyAvailable }: Region) => proxyAvailable },
] as const;

const columns: TableColumn<Region>[] = [
  { label: 'Region', value: ({ name }) => name },
  { label: 'Location', value: ({ place }) => place },
  { label: 'Continent', value: ({ continent }) => continent },
  { label: 'Hardware', value: ({ infoGeneration }) => infoGeneration },
  ...features.map(({ label, has }) => ({ label, value: (region: Region) => !has(region) })),
];

const executorColumn: TableColumn<Region> = {
  label: 'Executors',
  isNumber: true,
  value: ({ executorCount }) => executorCount,
};

const textOf = (region: Region) =>
  [
    region.name,
    region.place,
    region.continent,
    region.infoGeneration,
    ...features.filter(({ has }) => has(region)).map(({ label }) => label),
  ].join(' ');

/** The regions that the account can use, and then the others. */
function Regions({ regions }: { regions: readonly Region[] }): ReactElement {
  const isCounted = regions.some(({ executorCount }) => executorCount !== undefined);
  const { rows, headings, filterField, noMatch } = useTableRows(
    regions.toSorted((one, other) => Number(other.allowed) - Number(one.allowed)),
    isCounted ? [...columns, executorColumn] : columns,
    textOf,
  );
  return (
    <Section title="Regions" aside={filterField}>
      <PlainTable columns={headings} hasNoActions label="Regions" rows={rows} noMatch={noMatch}>
        {(region) => (
          <tr key={region.name}>
            <td>
              <CopiedName name={region.name} />
              {!region.allowed && <span className="under-name">Not available to your account</span>}
            </td>
            <td>{region.place}</td>
            <td>{region.continent}</td>
            <td data-label="Hardware">{region.infoGeneration ?? <span className="quiet">–</span>}</td>
            {features.map(({ label, has }) => (
              <Feature key={label} label={label} has={has(region)} />
            ))}
            {isCounted && (
              <td className="number" data-label="Executors">
                {region.executorCount}
              </td>
            )}
          </tr>
        )}
      </PlainTable>
    </Section>
  );
}

function Feature({ label, has }: { label: string; has: boolean }): ReactElement {
  return has ? (
    <td className="feature" data-label={label}>
      <Icon name="check" />
      <span className="hidden">Yes</span>
    </td>
  ) : (
    <td className="feature missing">
      <span className="quiet" aria-hidden="true">
        –
      </span>
      <span className="hidden">No</span>
    </td>
  );
}

function CopiedName({ name }: { name: string }): ReactElement {
  return (
    <>
      <span className="mono">{name}</span> <CopyButton text={name} label={`Copy ${name}`} />
    </>
  );
}
