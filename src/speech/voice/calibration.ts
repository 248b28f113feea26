/** What a voice reads when its loudness is measured: about half a minute of ordinary news. */
export const calibrationText = `<p>The council voted on Tuesday evening to keep the old library open through the winter.
Residents had gathered more than two thousand signatures, and many of them came to the meeting.</p>
<p>The mayor thanked everyone who spoke. She said the building needs a new roof, new windows and a lift before the autumn.
Work could begin as early as next month, if the weather stays dry.</p>
<p>Who will pay for it? The region has promised half of the money, and a local company will give the rest.
Until then, the reading room opens at nine in the morning and closes at six.</p>`;
