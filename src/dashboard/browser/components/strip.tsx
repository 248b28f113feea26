import type { ComponentChildren } from 'preact';
import { useOffline } from '../connection.ts';
import { Icon, type IconName } from './icon.tsx';

/** A line across the page: something that concerns all of it. */
function Strip({ icon, children }: { readonly icon: IconName; readonly children: ComponentChildren }) {
  return (
    <div class="strip" role="status">
      <Icon name={icon} />
      {children}
    </div>
  );
}

/** Shown while the server cannot be reached. */
export function OfflineStrip() {
  return useOffline() ? <Strip icon="wifi-off">Can't reach the server. Trying again…</Strip> : null;
}
