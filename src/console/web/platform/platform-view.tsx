import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { CopyButton } from '../look/copy-button.js';
import { FailureNotice } from '../look/notice.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { Section } from '../resources/section.js';
import { Executors } from './executors.js';
import '../resources/resource-panel.css';

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

/** The regions and their features. */
export function PlatformView(): ReactElement {
  const [{ data, error }, again] = useAnswer({ query: platformQuery });
  const configuration = data?.configuration ?? undefined;
  if (configuration === undefined) {
    return (
      <div className="view">
        <h1 className="hidden">Platform</h1>
        {error !== undefined && (
          <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
        )}
      </div>
    );
  }
  const country = (code: string) => configuration.countries.find(({ name }) => name === code)?.displayName ?? code;
  const continent = (code: string) => configuration.continents.find(({ name }) => name === code)?.displayName ?? code;
  return (
    <div className="view">
      <h1>Platform</h1>
      {configuration.detectedRegion !== '' && (
        <p className="quiet">
          Closest region: <span className="mono">{configuration.detectedRegion}</span>
        </p>
      )}
      <Regions
        regions={configuration.regions.map((region) => ({
          ...region,
          place: [region.location, country(region.country)].filter((part) => part !== null).join(', '),
          continent: continent(region.continent),
        }))}
      />
      <Executors />
      {configuration.privateLocations.length > 0 && (
        <Section title="Private locations">
          <ul>
            {configuration.privateLocations.map(({ name }) => (
              <li key={name} className="mono">
                {name}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

type Found = NonNullable<ResultOf<typeof platformQuery>['configuration']>['regions'][number];
type Region = Found & { place: string };

const columns: TableColumn<Region>[] = [
  { label: 'Region', value: ({ name }) => name },
  { label: 'Location', value: ({ place }) => place },
  { label: 'Continent', value: ({ continent }) => continent },
  { label: 'Access', value: ({ allowed }) => !allowed },
  { label: 'Features', value: featuresOf },
  { label: 'Hardware', value: ({ infoGeneration }) => infoGeneration },
];

const textOf = (region: Region) => [region.name, region.place, region.continent, featuresOf(region)].join(' ');

function Regions({ regions }: { regions: readonly Region[] }): ReactElement {
  const { rows, headings, filterField } = useTableRows(regions, columns, textOf);
  return (
    <Section title={`Regions (${regions.length})`}>
      {filterField}
      <PlainTable columns={headings}>
        {rows.map((region) => (
          <tr key={region.name}>
            <td>
              <span className="mono">{region.name}</span>{' '}
              <CopyButton text={region.name} label={`Copy ${region.name}`} />
            </td>
            <td>{region.place}</td>
            <td>{region.continent}</td>
            <td>{region.allowed ? 'Allowed' : <span className="quiet">Not allowed</span>}</td>
            {featuresOf(region) === '' ? (
              <td className="quiet">Standard</td>
            ) : (
              <td data-label="Features">{featuresOf(region)}</td>
            )}
            <td className="quiet">{region.infoGeneration}</td>
            <td />
          </tr>
        ))}
      </PlainTable>
    </Section>
  );
}

function featuresOf(region: {
  mk31Available: boolean;
  drivesAvailable: boolean;
  egressAvailable: boolean;
  proxyAvailable: boolean;
}): string {
  const features = [
    region.mk31Available ? 'mk3.1' : '',
    region.drivesAvailable ? 'drives' : '',
    region.egressAvailable ? 'egress' : '',
    region.proxyAvailable ? 'proxy' : '',
  ];
  return features.filter((feature) => feature !== '').join(', ');
}
