/** Raise it when the same ids would sound different: segments of older versions are not reused then. */
export const engineVersion = 3;
