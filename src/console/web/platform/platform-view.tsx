import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../api/graphql.js';
import { FailureNotice } from '../look/notice.js';
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
  const [{ data, error }, again] = useQuery({ query: platformQuery });
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
  const continents = configuration.continents.filter((continent) =>
    configuration.regions.some((region) => region.continent === continent.name),
  );
  return (
    <div className="view">
      <h1>Platform</h1>
      {configuration.detectedRegion !== '' && (
        <p className="quiet">
          Closest region: <span className="mono">{configuration.detectedRegion}</span>
        </p>
      )}
      {continents.map((continent) => (
        <Section key={continent.name} title={continent.displayName}>
          <div className="table-space">
            <table className="plain-table two-lines regions">
              <thead>
                <tr>
                  <th scope="col">Region</th>
                  <th scope="col">Location</th>
                  <th scope="col">Access</th>
                  <th scope="col">Features</th>
                  <th scope="col">Hardware</th>
                </tr>
              </thead>
              <tbody>
                {configuration.regions
                  .filter((region) => region.continent === continent.name)
                  .map((region) => (
                    <tr key={region.name}>
                      <td className="mono">{region.name}</td>
                      <td>{[region.location, country(region.country)].filter((part) => part !== null).join(', ')}</td>
                      <td>{region.allowed ? 'Allowed' : <span className="quiet">Not allowed</span>}</td>
                      {featuresOf(region) === '' ? (
                        <td className="quiet">Standard</td>
                      ) : (
                        <td data-label="features">{featuresOf(region)}</td>
                      )}
                      <td className="quiet">{region.infoGeneration}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </div>
        </Section>
      ))}
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
