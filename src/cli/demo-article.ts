/** What `lectern demo` has spoken: an article as a CMS would send it, with everything that is read and some that isn't. */
export const demoArticle = {
  title: 'Harbor town reopens its lighthouse after 12 years',
  url: 'http://localhost/news/lighthouse-reopens',
  content: `<article>
<nav><a href="#news">News</a> <a href="#harbor">Harbor</a> <a href="#weather">Weather</a></nav>
<p>The lighthouse of Port Ellery opened its doors again on Saturday, March 14, 2026, twelve years after a winter storm
tore the roof off its lantern room. More than 1,800 people climbed the 211 steps on the first day, and by 3:30 p.m. the
line reached all the way to the fish market.</p>
<p>&ldquo;I came here with my grandfather when I was six,&rdquo; said Dr. Maria Alvarez, who teaches history at the
local college. &ldquo;You could see the whole bay, and he knew the name of every boat. I wanted my own children to stand
up there once.&rdquo;</p>
<h2>A repair nobody wanted to pay for</h2>
<p>For years it looked as if that would never happen. The first estimate, made in 2015, put the work at $4.6 million.
The county offered half. The state said no, twice. Then, in the spring of 2022, a group of retired shipbuilders began to
repair the staircase themselves, one step each weekend.</p>
<p>Their work changed the mood in town. A bakery sold bread in the shape of the tower; a school choir sang in the rain.
Within eighteen months the fund held $2.1 million, about 70% of it in gifts of less than $50. The state changed its mind,
and so did the insurance company.</p>
<figure><img src="demo/tower.svg" alt=""><figcaption>The tower on opening day. Photo: J. Lind</figcaption></figure>
<h2>What visitors will find</h2>
<p>The tower is open from Tuesday to Sunday. Three things are new:</p>
<ul>
<li>a lift to the second floor, for those who cannot take the stairs;</li>
<li>a small museum about the 1913 wreck of the <em>Eleanor</em>;</li>
<li>a telescope that shows the islands, 14 miles away.</li>
</ul>
<p>Tickets cost $6 for adults and nothing for children under 12. The old lamp, built in Paris in 1871, still works. It
will be lit on the first Friday of each month, at nine o&rsquo;clock in the evening.</p>
<blockquote><p>A lighthouse is a promise that somebody is awake. We are glad to keep it again.</p></blockquote>
<p>So reads the new plaque beside the door. Who wrote it? Nobody in Port Ellery will say. The shipbuilders, at least, are
not finished: next year they want to mend the keeper&rsquo;s garden, and after that, perhaps, the pier. &ldquo;We have
time,&rdquo; said Tom Okafor, 74, who laid the last step in January. &ldquo;We are only getting started.&rdquo;</p>
<script type="application/ld+json">{"@type": "NewsArticle"}</script>
</article>`,
};
