import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { Finder } from '../look/finder.js';
import type { Found } from '../look/finder.js';
import { zoneNames, zoneOf, zoneOffsetAt, zoneOfViewer } from './zone.js';
import type { TimeZone } from './zone.js';

/** Whose days costs are of. It says so where nobody opens it, too. */
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
      { value: 'Near at hand', items: first.map(found) },
      {
        value: 'All zones',
        items: zoneNames()
          .filter((name) => !first.includes(name))
          .map(found),
      },
    ];
  }, [own, zone]);
  return (
    <Finder
      label={`Days of ${spaced(zone.name)}. Choose another time zone`}
      placeholder="City or zone"
      value={zone.name}
      groups={() => groups}
      onChoose={(name) => onChange(zoneOf(name))}
    >
      <span className="quiet">Days of</span>
      {spaced(zone.name)}
    </Finder>
  );
}

function spaced(name: string): string {
  return name.replaceAll('_', ' ');
}
