import { useOffline } from '../connection.ts';
import { Icon } from './icon.tsx';

/** Shown across the page while the server cannot be reached. */
export function OfflineStrip() {
  if (!useOffline()) return null;
  return (
    <div class="strip" role="status">
      <Icon name="wifi-off" />
      Can't reach the server. Trying again…
    </div>
  );
}
