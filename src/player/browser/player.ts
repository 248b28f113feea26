import { LecternPlayer } from './element.ts';

if (customElements.get('lectern-player') === undefined) {
  customElements.define('lectern-player', LecternPlayer);
}
