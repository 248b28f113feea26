import { download, share } from './download.ts';
import { styles } from './extra-styles.ts';
import { createMenu } from './menu.ts';
import { createMiniPlayer } from './mini-player.ts';
import { readAlong } from './read-along/read-along.ts';
import { createTranscript } from './transcript.ts';

// The second script: what the player loads only when it is needed.
export { createMenu, createMiniPlayer, createTranscript, download, readAlong, share, styles };
