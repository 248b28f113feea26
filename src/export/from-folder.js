// Opened from a folder, a page may fetch nothing: the timings stand in it themselves then.
if (location.protocol === 'file:') {
  for (const player of document.querySelectorAll('lectern-player')) {
    const timings = document.getElementById('timings')?.textContent ?? '';
    const file = new Blob([timings], { type: 'application/json' });
    player.setAttribute('segments-url', URL.createObjectURL(file));
  }
}
