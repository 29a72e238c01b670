import type { ReactElement, ReactNode } from 'react';

export function Section({
  title,
  children,
  aside,
  isDanger = false,
}: {
  title: string;
  children: ReactNode;
  aside?: ReactNode;
  /** Whether its actions cannot be undone. */
  isDanger?: boolean;
}): ReactElement {
  return (
    <section className={isDanger ? 'panel danger' : 'panel'} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

export function Fact({ name, children }: { name: ReactNode; children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
