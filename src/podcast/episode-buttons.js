// Play buttons in place of the browser's controls; one episode sounds at a time.
for (const audio of document.querySelectorAll('audio')) {
  const button = audio.closest('li').querySelector('.play');
  button.hidden = false;
  button.addEventListener('click', () => {
    if (audio.paused) audio.play().catch(reportFailure);
    else audio.pause();
  });
  for (const type of ['play', 'pause']) {
    audio.addEventListener(type, () => {
      button.classList.toggle('playing', !audio.paused);
      button.setAttribute('aria-pressed', String(!audio.paused));
    });
  }
  audio.addEventListener('play', () => {
    audio.classList.add('shown');
    for (const other of document.querySelectorAll('audio')) if (other !== audio) other.pause();
  });
}

/** Another episode may pause one that has not begun yet. */
function reportFailure(error) {
  if (error.name !== 'AbortError') reportError(error);
}

const copy = document.querySelector('.copy');
const address = document.querySelector('#address');
copy.hidden = false;
copy.addEventListener('click', () => {
  copyAddress().catch(reportError);
});

async function copyAddress() {
  address.select();
  try {
    await navigator.clipboard.writeText(address.value);
  } catch {
    // Only pages over https may; the selection does on the others.
    document.execCommand('copy');
  }
  copy.textContent = `✓ ${copy.textContent.replace('✓ ', '')}`;
}
