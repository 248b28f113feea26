/** An article to begin with. */
export const sample = {
  title: 'Harbor town reopens its lighthouse after 12 years',
  paragraphs: [
    'The lighthouse of Port Ellery opened its doors again on Saturday, twelve years after a winter storm tore the roof off its lantern room.',
    'More than 1,800 people climbed the 211 steps on the first day, and by 3:30 p.m. the line reached all the way to the fish market.',
  ],
} as const;
