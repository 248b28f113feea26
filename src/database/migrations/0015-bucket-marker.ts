/** The object by which the bucket of this installation is recognized. */
export const bucketMarker: readonly string[] = ['alter table installation add column bucket_marker text'];
