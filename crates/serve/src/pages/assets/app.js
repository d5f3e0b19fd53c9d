// What the pages do beyond links and forms: suggestions, copy buttons, the theme, shortcuts. Nodes are made with textContent alone,
// so nothing that an upstream wrote becomes markup. Checked with `tsc --noEmit --checkJs`.

/**
 * @param {string} tag
 * @param {Record<string, string>} [attributes]
 * @param {string} [text]
 */
function element(tag, attributes = {}, text = '') {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

/** What was stored under a name, or null where storage is blocked. @param {string} name */
function stored(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}

/** @param {string} name @param {string} value */
function store(name, value) {
  try { localStorage.setItem(name, value); } catch { /* the choice lasts for this page */ }
}

/** Milliseconds without a key before suggestions are asked for. */
const PAUSE = 120;

/**
 * Suggestions below a search box: the combobox pattern of the ARIA Authoring Practices.
 * @param {HTMLFormElement} form @param {HTMLInputElement} input @param {string} id
 */
function suggest(form, input, id) {
  const list = element('ul', { id, role: 'listbox', class: 'suggestions', 'aria-label': 'Suggestions', hidden: '' });
  const told = element('p', { class: 'hidden', 'aria-live': 'polite' });
  form.append(list, told);
  for (const [name, value] of Object.entries({ role: 'combobox', 'aria-expanded': 'false', 'aria-controls': id, 'aria-autocomplete': 'list' })) {
    input.setAttribute(name, value);
  }
  let timer = 0, chosen = -1, waitUntil = 0;
  /** @type {AbortController | undefined} */ let asking;

  const close = () => {
    list.hidden = true;
    chosen = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  /** @param {number} at */
  const choose = (at) => {
    const options = [...list.children];
    chosen = at < -1 ? options.length - 1 : at >= options.length ? -1 : at;
    options.forEach((option, n) => option.setAttribute('aria-selected', String(n === chosen)));
    if (chosen < 0) return input.removeAttribute('aria-activedescendant');
    input.setAttribute('aria-activedescendant', options[chosen].id);
    options[chosen].scrollIntoView({ block: 'nearest' });
  };
  /** @param {Element} option */
  const open = (option) => { location.assign(/** @type {HTMLElement} */ (option).dataset.href ?? ''); };
  const ask = async () => {
    asking?.abort();
    const q = input.value.trim();
    if (!q || Date.now() < waitUntil) return close();
    asking = new AbortController();
    try {
      const url = new URL(form.dataset.suggest ?? '', location.href);
      url.searchParams.set('q', q);
      const answer = await fetch(url, { signal: asking.signal, headers: { accept: 'application/json' } });
      if (answer.status === 429 || answer.status === 503) waitUntil = Date.now() + 1000 * Number(answer.headers.get('retry-after') ?? 5);
      if (!answer.ok) return close();
      const found = await answer.json();
      const options = found.results.map((/** @type {any} */ hit, /** @type {number} */ n) => {
        // Suggestions are asked of the search page, beside which all items stand.
        const href = url.pathname.replace(/\/search$/, '') + hit.path;
        const option = element('li', { role: 'option', id: `${id}-${n}`, 'aria-selected': 'false', 'data-href': href, dir: 'auto' }, hit.name);
        option.append(element('span', { class: 'soft' }, ` ${hit.kind} · ${hit.id}`));
        // What is over says so, as in the hits.
        if (hit.status) option.append(' ', element('span', { class: 'tag over' }, hit.status));
        return option;
      });
      list.replaceChildren(...options);
      told.textContent = options.length === 1 ? '1 suggestion' : `${options.length || 'no'} suggestions`;
      if (!options.length || document.activeElement !== input) return close();
      list.hidden = false;
      input.setAttribute('aria-expanded', 'true');
      choose(-1);
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'AbortError')) close();
    }
  };
  input.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(ask, PAUSE); });
  input.addEventListener('keydown', (event) => {
    // While letters are composed, as those of Japanese are, the keys choose among what the keyboard offers.
    if (event.isComposing) return;
    if (event.key === 'Escape') { clearTimeout(timer); asking?.abort(); }
    if (list.hidden) return;
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else if (event.key === 'Enter' && chosen >= 0) open(list.children[chosen]);
    // The first Esc closes the list alone; another one empties the box, where the browser does that.
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  });
  // Before the box loses the focus, which closes the list.
  list.addEventListener('mousedown', (event) => {
    const option = event.target instanceof Element ? event.target.closest('li') : null;
    if (option) { event.preventDefault(); open(option); }
  });
  input.addEventListener('blur', () => { clearTimeout(timer); close(); });
}

/** The heading or the summary that stands above a block. @param {Element} block */
function heading(block) {
  const all = [...document.querySelectorAll('h1, h2, h3, summary, [data-copy]')];
  const above = all.slice(0, all.indexOf(block)).reverse().find((one) => !one.matches('[data-copy]'));
  return (above?.textContent ?? 'the lines').trim();
}

/**
 * A button that copies a text, beside it or in the corner of a block.
 * @param {Element} text @param {Element} told says what became of a copy, for whoever does not see the button
 */
function copyButton(text, told) {
  const words = (text.textContent ?? '').trim();
  // A block is named by the heading above it: its own words may be Markdown.
  const label = text.tagName === 'PRE' ? heading(text) : words.length > 60 ? `${words.slice(0, 60)}…` : words;
  const button = element('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${label}` }, 'copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text.textContent ?? '');
      button.textContent = 'copied';
    } catch {
      button.textContent = 'not allowed';
    }
    told.textContent = button.textContent;
    setTimeout(() => { told.textContent = ''; button.textContent = 'copy'; }, 2000);
  });
  if (text.tagName !== 'PRE') return text.after(button);
  // In the corner of a block, which keeps its place when the block is scrolled.
  const block = element('div', { class: 'block' });
  text.replaceWith(block);
  block.append(text, button);
}

function copyButtons() {
  const told = element('p', { class: 'hidden', role: 'status' });
  document.body.append(told);
  const texts = [...document.querySelectorAll('[data-copy]')];
  // A hundred buttons are noise. A row below heads gets its own when it is pointed at or has the focus or, where nothing hovers, when it is seen.
  /** @type {Map<Element, Element>} */
  const waiting = new Map();
  for (const text of texts) {
    const row = text.closest('thead + tbody > tr');
    if (row) waiting.set(row, text);
    else copyButton(text, told);
  }
  /** @param {EventTarget | null} place */
  const equip = (place) => {
    const row = place instanceof Element ? place.closest('tr') : null;
    const text = row && waiting.get(row);
    if (!text) return;
    waiting.delete(row);
    copyButton(text, told);
  };
  for (const event of ['pointerover', 'focusin']) document.addEventListener(event, ({ target }) => equip(target));
  if (matchMedia('(hover: hover)').matches) return;
  const seen = new IntersectionObserver((rows) => {
    for (const { isIntersecting, target } of rows) if (isIntersecting) { seen.unobserve(target); equip(target); }
  });
  for (const row of waiting.keys()) seen.observe(row);
}

/** @param {Element} place */
function themeSwitch(place) {
  const label = element('label', {}, 'Theme ');
  const select = /** @type {HTMLSelectElement} */ (element('select'));
  for (const theme of ['auto', 'light', 'dark']) select.append(element('option', { value: theme }, theme));
  select.value = stored('theme') ?? 'auto';
  select.addEventListener('change', () => {
    store('theme', select.value);
    if (select.value === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = select.value;
  });
  label.append(select);
  place.append(label);
}

/** Shortcuts of one character, which can be switched off (WCAG 2.1.4). @param {Element} place */
function shortcuts(place) {
  const help = /** @type {HTMLDialogElement} */ (element('dialog', { 'aria-label': 'Shortcuts' }));
  help.append(element('p', {}, '/ goes to the search box, ? shows this, Esc closes it.'), element('p', {}, 'They can be switched off at the end of each page.'));
  const closing = element('button', { type: 'button' }, 'Close');
  closing.addEventListener('click', () => help.close());
  help.append(closing);
  document.body.append(help);
  const label = element('label');
  const box = /** @type {HTMLInputElement} */ (element('input', { type: 'checkbox' }));
  box.checked = stored('shortcuts') !== 'off';
  box.addEventListener('change', () => store('shortcuts', box.checked ? 'on' : 'off'));
  label.append(box, ' Shortcuts / and ?');
  place.append(label);
  document.addEventListener('keydown', (event) => {
    const typing = event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]');
    if (!box.checked || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/') /** @type {HTMLElement | null} */ (document.querySelector('input[type=search]'))?.focus();
    else if (event.key === '?') help.showModal();
    else return;
    event.preventDefault();
  });
}

// What is left open in a form says nothing in an address.
for (const form of document.forms) {
  form.addEventListener('formdata', ({ formData }) => {
    for (const name of new Set(formData.keys())) {
      const filled = formData.getAll(name).filter((value) => value !== '');
      formData.delete(name);
      for (const value of filled) formData.append(name, value);
    }
  });
}
// Where the sheet alone cannot bring the entry of this page into view.
for (const list of document.querySelectorAll('nav ul')) {
  const entry = list.querySelector('[aria-current=page]');
  if (!entry) continue;
  const [inside, around] = [entry.getBoundingClientRect(), list.getBoundingClientRect()];
  if (inside.right > around.right || inside.left < around.left) list.scrollLeft += inside.left - around.left - 32;
}
document.querySelectorAll('form[data-suggest]').forEach((form, n) => {
  const input = form.querySelector('input[type=search]');
  if (form instanceof HTMLFormElement && input instanceof HTMLInputElement) suggest(form, input, `suggestions-${n}`);
});
copyButtons();
// The name of a row stays in sight while its table is scrolled: what has the focus moves out from below it.
document.addEventListener('focusin', ({ target }) => {
  if (!(target instanceof HTMLElement)) return;
  const cell = target.closest('.scroll > table > tbody > tr > th ~ td');
  const [name, region] = [cell?.parentElement?.querySelector('th'), cell?.closest('.scroll')];
  if (!name || !region) return;
  const covered = name.getBoundingClientRect().right - target.getBoundingClientRect().left;
  if (covered > 0) region.scrollLeft -= covered + 4;
});
const footer = document.querySelector('footer.bottom');
if (footer) {
  const place = element('p', { class: 'switches' });
  footer.append(place);
  themeSwitch(place);
  shortcuts(place);
}
