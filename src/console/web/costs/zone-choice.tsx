import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { Finder } from '../look/finder.js';
import type { Found } from '../look/finder.js';
import { zoneNames, zoneOf, zoneOffsetAt, zoneOfViewer } from './zone.js';
import type { TimeZone } from './zone.js';

/** The time zone of the days, weeks and months. */
export function ZoneChoice({ zone, onChange }: { zone: TimeZone; onChange: (zone: TimeZone) => void }): ReactElement {
  const own = zoneOf(zoneOfViewer()).name;
  const groups = useMemo(() => {
    const now = new Date();
    const found = (name: string): Found => ({
      value: name,
      label: spaced(name),
      hint: zoneOffsetAt(zoneOf(name), now),
    });
    const first = [...new Set(['UTC', own, zone.name])];
    return [
      { value: 'Suggested', items: first.map(found) },
      {
        value: 'All time zones',
        items: zoneNames()
          .filter((name) => !first.includes(name))
          .map(found),
      },
    ];
  }, [own, zone]);
  return (
    <Finder
      label={`Time zone: ${spaced(zone.name)}`}
      placeholder="City or time zone"
      value={zone.name}
      groups={() => groups}
      onChoose={(name) => onChange(zoneOf(name))}
    >
      <span className="quiet">Time zone</span>
      {spaced(zone.name)}
    </Finder>
  );
}

function spaced(name: string): string {
  return name.replaceAll('_', ' ');
}
