import './player.ts';
import * as extras from './extras.ts';
import { provideExtras } from './load-extras.ts';

// A page that is opened from a folder can load no modules: exported pages have one script.
provideExtras(extras);
