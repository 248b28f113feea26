import { version as packageVersion } from '../package.json';

export const version: string = packageVersion;

/** Raise it when the same ids would sound different: segments of older versions are not reused then. */
export const engineVersion = 4;

/** Raise it when the same sentence would get other phonemes or other segments: plans of older versions are not taken over then. */
export const plannerVersion = 3;
