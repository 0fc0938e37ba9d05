'use strict';
(() => {
  const NONE = '–', KEPT = 60, HIDDEN_MS = 60000, RETRY_MS = 10000, STALE_MS = 10000, MOST_COUNTED = 1000;
  const rows = new Map(), failures = [], byId = name => document.getElementById(name);
  const make = (tag, text, attributes) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    for (const name in attributes) element.setAttribute(name, attributes[name]);
    return element;
  };
  const show = (element, text) => { if (element.textContent !== text) element.textContent = text; };

  // ---- numbers, with as many digits as they are worth

  const number = (value, digits) => value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const time = moment => { const date = new Date(moment), today = new Date().toDateString() === date.toDateString(); return (today ? '' : date.toLocaleDateString() + ' ') + date.toLocaleTimeString(); };
  const PRESSURE = ['none', '1, buffers shrink', '2, reads pause', '3, exchanges are refused', '4, exchanges are cut', '5, accepting stops'];
  const format = {
    count: value => number(value, 0),
    number: value => number(value, value >= 100 ? 0 : 1),
    percent: value => value === 100 ? '100' : number(value, 2),
    ms: us => number(us / 1000, us < 10000 ? 2 : us < 100000 ? 1 : 0),
    mib: kib => number(kib / 1024, kib < 102400 ? 1 : 0),
    moment: time,
    ready: value => value ? 'ready' : 'not ready: starting or draining',
    pressure: value => PRESSURE[value] || String(value),
    text: String
  };
  const shown = (kind, value) => value === undefined || value === null ? NONE : format[kind || 'text'](value);
  const span = seconds => {
    const parts = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']], at = parts.findIndex(([size]) => seconds >= size);
    if (at < 0) return '0 s';
    return parts.slice(at, at + 2).map(([size, unit], i) => `${Math.floor(i ? seconds % parts[at][0] / size : seconds / size)} ${unit}`).join(' ');
  };

  // ---- tables

  const times = key => ['p50', 'p90', 'p99', 'p999'].map((name, i) => ({ head: name, kind: 'ms', of: row => row[key] && row[key][i], first: i === 0 }));
  const TRAFFIC = [
    { head: 'Rate, 1/s', key: 'ra', kind: 'number' },
    { head: 'Success, %', key: 'ok', kind: 'percent', bad: value => value < 99 },
    { head: 'Exchanges', key: 'ex', kind: 'count' }
  ];
  const NOW = [{ head: 'In flight', key: 'fl', kind: 'count' }, { head: 'Connections', key: 'op', kind: 'count' }];
  const TIMES = [{ group: 'In the proxy, ms', columns: times('px') }, { group: 'Total, ms', columns: times('tx') }];
  const STATES = { 'in-use': 'in use', out: '✕ out of use', probing: '… probing', panic: '! out, but used (panic)' };
  const TABLES = {
    l: { caption: 'Listeners', empty: 'There is no listener yet.', columns: [{ head: 'Listener', key: 'n' }, ...TRAFFIC, ...NOW, ...TIMES] },
    r: { caption: 'Routes', empty: 'No route has taken a request since the page was opened.', columns: [{ head: 'Route', key: 'n' }, { head: 'Listener', key: 'in', words: true }, ...TRAFFIC, ...TIMES] },
    e: {
      caption: 'Endpoints', empty: 'There is no endpoint.', out: row => row.st !== 'in-use',
      columns: [{ head: 'Endpoint', key: 'n' }, { head: 'Cluster', key: 'in', words: true }, { head: 'State', of: row => STATES[row.st] || row.st, words: true },
        { head: 'Reason', of: row => row.why && row.why + (row.ret > 0 ? `, returns in ${row.ret} s` : ''), words: true }, ...TRAFFIC, ...NOW, ...TIMES]
    },
    s: { caption: 'Sources of endpoints', empty: '', hides: true, columns: [{ head: 'Cluster', key: 'n' }, { head: 'Source', key: 'src', words: true }, { head: 'State', key: 'st', words: true }, { head: 'Endpoints', key: 'known', kind: 'count' }, { head: 'Problem', key: 'why', words: true }] },
    o: { caption: 'Delay of event loop timers, ms', empty: 'There is no event loop yet.', columns: [{ head: 'Event loop', key: 'n' }, { head: 'p50', key: 'p50', kind: 'ms' }, { head: 'p99', key: 'p99', kind: 'ms' }, { head: 'Longest', key: 'max', kind: 'ms' }, { head: 'Stalls', key: 'stalls', kind: 'count' }] },
    g: { caption: 'Garbage collections since the start', empty: 'The image has no such figures.', columns: [{ head: 'Collector', key: 'n' }, { head: 'Collections', key: 'ex', kind: 'count' }, { head: 'Pauses, ms', key: 'ms', kind: 'count' }] },
    k: { caption: 'Code cache by segment, MiB', empty: 'The image has no such figures.', columns: [{ head: 'Segment', key: 'n' }, { head: 'In use', key: 'used', kind: 'mib' }, { head: 'Committed', key: 'com', kind: 'mib' }, { head: 'Reserved', key: 'max', kind: 'mib' }, { head: 'Used, %', of: row => row.max && row.used / row.max * 100, kind: 'number' }] },
    f: {
      caption: 'Failed exchanges, latest first', empty: 'None since the page was opened.',
      columns: [{ head: 'Time', of: row => row[0], kind: 'moment' }, { head: 'Status', of: row => row[5] || 'none' }, { head: 'Failure', of: row => row[6] || (row[5] >= 500 ? '5xx response' : 'failed call'), words: true }, { head: 'Rule', of: row => row[7], words: true },
        { head: 'Attempt', of: row => row[8], words: true }, { head: 'Listener', of: row => row[1], words: true }, { head: 'Route', of: row => row[2], words: true }, { head: 'Endpoint', of: row => row[3], words: true }, { head: 'Client', of: row => row[4], words: true }, { head: 'Total, ms', of: row => row[9], kind: 'ms' }]
    }
  };

  const build = (place, kind) => {
    const table = TABLES[kind], groups = table.columns.some(column => column.group), caption = 't-' + kind;
    table.flat = table.columns.flatMap(column => column.columns || [column]);
    const scroll = make('div', undefined, { class: 'scroll', role: 'region', tabindex: '0', 'aria-labelledby': caption });
    const element = make('table'), head = make('thead'), top = make('tr'), below = make('tr');
    element.append(make('caption', table.caption, { id: caption }));
    for (const column of table.columns) {
      if (column.group) {
        top.append(make('th', column.group, { scope: 'colgroup', colspan: column.columns.length }));
        for (const each of column.columns) below.append(make('th', each.head, each.first ? { scope: 'col', class: 'first' } : { scope: 'col' }));
      } else {
        const cell = make('th', column.head, { scope: 'col' });
        if (groups) cell.rowSpan = 2;
        if (column.words) cell.className = 'words';
        top.append(cell);
      }
    }
    head.append(top);
    if (groups) head.append(below);
    table.body = make('tbody');
    table.place = place;
    table.lines = new Map();
    table.rest = make('td', undefined, { colspan: table.flat.length });
    table.foot = make('tfoot');
    table.foot.hidden = true;
    table.foot.append(make('tr', undefined, { class: 'empty' }));
    table.foot.firstChild.append(table.rest);
    element.append(head, table.body, table.foot);
    scroll.append(element);
    place.append(scroll);
  };

  const line = (table, id) => {
    const tr = make('tr');
    tr.append(...table.flat.map((column, i) => make(i ? 'td' : 'th', NONE, i ? {} : { scope: 'row' })));
    table.flat.forEach((column, i) => { tr.children[i].className = [column.words && 'words', column.first && 'first', column.kind === 'moment' && 'moment'].filter(Boolean).join(' '); });
    table.lines.set(id, tr);
    return tr;
  };

  const fill = (table, id, row) => {
    const tr = table.lines.get(id) || line(table, id);
    table.flat.forEach((column, i) => {
      const value = column.of ? column.of(row) : row[column.key], cell = tr.children[i];
      show(cell, shown(column.kind, value));
      if (column.bad) cell.classList.toggle('bad', typeof value === 'number' && column.bad(value));
    });
    tr.classList.toggle('out', Boolean(table.out && table.out(row)));
    return tr;
  };

  const draw = (kind, entries) => {
    const table = TABLES[kind], keep = new Set(entries.map(([id]) => id));
    for (const [id, tr] of table.lines) if (!keep.has(id)) { tr.remove(); table.lines.delete(id); }
    const note = table.body.querySelector('.empty');
    if (entries.length && note) note.remove();
    if (!entries.length && !note) {
      const tr = make('tr', undefined, { class: 'empty' });
      tr.append(make('td', table.empty, { colspan: table.flat.length }));
      table.body.append(tr);
    }
    if (table.hides) table.place.hidden = !entries.length;
    entries.forEach(([id, row], at) => {
      const tr = fill(table, id, row);
      if (table.body.children[at] !== tr) table.body.insertBefore(tr, table.body.children[at] || null);
    });
  };

  const rest = (kind, texts) => {
    const table = TABLES[kind], text = texts.filter(Boolean).join(' ');
    show(table.rest, text);
    table.foot.hidden = !text;
  };

  // ---- cards

  const CARDS = [
    { head: 'Rate', unit: '1/s', kind: 'number', of: one => one('a').ra },
    { head: 'Success', unit: '%', kind: 'percent', of: one => one('a').ok },
    { head: 'p99 in the proxy', unit: 'ms', kind: 'ms', of: one => one('a').pp && one('a').pp[0] },
    { head: 'p99 total', unit: 'ms', kind: 'ms', of: one => one('a').tp && one('a').tp[0] },
    { head: 'In flight', unit: '', kind: 'count', of: one => one('a').fl },
    { head: 'CPU, of one core', unit: '%', kind: 'number', of: one => one('p').cpu },
    { head: 'Resident memory', unit: 'MiB', kind: 'mib', of: one => one('p').rss },
    { head: 'Loop delay, max', unit: 'ms', kind: 'ms', of: () => { const all = of('o').map(([, row]) => row.max); return all.length ? Math.max(...all) : undefined; } }
  ];
  const SVG = 'http://www.w3.org/2000/svg';
  for (const card of CARDS) {
    const li = make('li'), big = make('p', undefined, { class: 'big' }), svg = document.createElementNS(SVG, 'svg');
    card.value = make('span', NONE);
    card.line = document.createElementNS(SVG, 'polyline');
    card.range = make('p', NONE, { class: 'range' });
    card.past = [];
    svg.setAttribute('class', 'spark');
    svg.setAttribute('viewBox', `0 0 ${KEPT - 1} 30`);
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('aria-hidden', 'true');
    svg.append(card.line);
    big.append(card.value, make('span', ' ' + card.unit, { class: 'unit' }));
    li.append(make('h3', card.head), big, svg, card.range);
    byId('cards').append(li);
  }

  const drawCard = card => {
    const value = card.of(single);
    show(card.value, shown(card.kind, value));
    card.past.push(value === undefined ? null : value);
    if (card.past.length > KEPT) card.past.shift();
    const known = card.past.filter(each => each !== null), least = Math.min(...known), most = Math.max(...known);
    if (!known.length) return;
    const y = each => most === least ? 15 : 28 - (each - least) / (most - least) * 26, from = KEPT - card.past.length;
    card.line.setAttribute('points', card.past.map((each, i) => each === null ? '' : `${from + i},${y(each).toFixed(1)}`).join(' '));
    show(card.range, `${shown(card.kind, least)} to ${shown(card.kind, most)}`);
  };

  // ---- events

  const of = kind => [...rows].filter(([id]) => id[0] === kind);
  const single = kind => { for (const [id, row] of rows) if (id[0] === kind) return row; return {}; };
  const take = event => {
    if (event.w !== undefined) {
      rows.clear();
      failures.length = 0;
      for (const card of CARDS) card.past = [];
      show(byId('since'), time(event.w * 1000));
    }
    for (const id of event.d || []) rows.delete(id);
    for (const id in event.u) rows.set(id, Object.assign(rows.get(id) || {}, event.u[id]));
    for (const each of event.f || []) failures.unshift(each);
    failures.length = Math.min(failures.length, 10);
  };

  const render = now => {
    for (const element of document.querySelectorAll('[data-v]')) {
      const [kind, key] = element.dataset.v.split('.'), value = single(kind)[key];
      show(element, shown(element.dataset.f, value));
    }
    for (const kind of 'lrsogk') draw(kind, of(kind));
    draw('e', of('e').sort(([, one], [, other]) => (one.st === 'in-use') - (other.st === 'in-use')));
    draw('f', failures.map((each, at) => ['f' + at, each]));
    CARDS.forEach(drawCard);
    const process = single('p'), { more, routes, bare } = single('m'), config = single('c');
    show(byId('up'), process.start ? span(now - process.start) : NONE);
    rest('r', [routes && `and ${number(routes, 0)}${routes < MOST_COUNTED ? '' : ' or'} more routes, whose exchanges only count for their listener.`]);
    rest('e', [more && `and ${number(more, 0)} more endpoints, which are on /clusters.`, bare && `There is no room for figures of exchanges of ${number(bare, 0)} endpoints in this table.`]);
    show(byId('last'), config.last || 'There was no reload.');
    const limited = process.lim !== undefined && process.lim !== null && process.use != null;
    byId('limit').hidden = !limited;
    if (limited) byId('limit').value = process.use / process.lim;
    show(byId('limit-text'), limited ? `${format.mib(process.use)} of ${format.mib(process.lim)} MiB, ${number(process.use / process.lim * 100, 0)} %` : 'no limit is known');
    const code = of('k').map(([, row]) => row), sum = key => code.length ? format.mib(code.reduce((all, row) => all + (row[key] || 0), 0)) : NONE;
    show(byId('code-used'), sum('used'));
    show(byId('code-com'), sum('com'));
    show(byId('code-max'), sum('max'));
    const level = byId('level');
    if (level && level.dataset.known !== config.lvl) { level.value = config.lvl; level.dataset.known = config.lvl; }
  };

  // ---- the connection

  let source = null, retry = 0, hidden = 0, heardMs = 0, paused = false;
  const say = text => show(byId('state'), text);
  const stop = () => { clearTimeout(retry); if (source) source.close(); source = null; };
  const start = () => {
    stop();
    if (paused) return;
    heardMs = Date.now();
    source = new EventSource('dashboard/events');
    source.onmessage = message => {
      let event;
      try { event = JSON.parse(message.data); } catch { start(); return; }
      heardMs = Date.now();
      take(event);
      render(event.t);
      say('Live');
    };
    source.onerror = () => {
      say('Not connected: the sidecar has gone, or has four viewers already. Trying again.');
      // a response that is no stream of events ends the attempts of the browser
      if (source && source.readyState === EventSource.CLOSED) { stop(); retry = setTimeout(start, RETRY_MS); }
    };
  };
  setInterval(() => { if (source && source.readyState === EventSource.OPEN && Date.now() - heardMs > STALE_MS) say(`No figures for more than ${STALE_MS / 1000} seconds`); }, 1000);
  byId('pause').addEventListener('click', () => {
    paused = !paused;
    show(byId('pause'), paused ? 'Resume' : 'Pause');
    if (paused) { stop(); say('Paused'); } else { say('Connecting'); start(); }
  });
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hidden);
    if (document.hidden) hidden = setTimeout(stop, HIDDEN_MS); else if (!source) start();
  });

  // ---- actions, where the page has them

  const act = byId('act');
  const post = (path, done) => fetch(path, { method: 'POST', headers: { 'Remora-Token': act.dataset.token } })
    .then(response => response.text().then(text => response.ok ? done(text) : say2(`Refused with status ${response.status}: ${text.trim()}`)))
    .catch(() => say2('The sidecar did not answer.'));
  const say2 = text => show(byId('acted'), text);
  const showFlames = svg => {
    const save = byId('save');
    if (save.href) URL.revokeObjectURL(save.href);
    save.href = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    byId('flame').src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svg);
    byId('flames').hidden = false;
    say2('The profile has been taken.');
  };
  const profile = () => {
    const seconds = Number(byId('seconds').value), bar = byId('taken'), begun = Date.now();
    if (!bar.hidden) return;
    bar.value = 0;
    bar.hidden = false;
    say2(`All threads are sampled for ${seconds} seconds.`);
    const turn = setInterval(() => { bar.value = Math.min(1, (Date.now() - begun) / 1000 / seconds); }, 500);
    post(`profile?seconds=${seconds}&format=svg`, showFlames).finally(() => { clearInterval(turn); bar.hidden = true; });
  };
  if (byId('profile')) byId('profile').addEventListener('click', profile);
  if (act) {
    byId('drain').addEventListener('click', () => byId('sure').showModal());
    byId('sure-no').addEventListener('click', () => byId('sure').close());
    byId('sure-yes').addEventListener('click', () => { byId('sure').close(); post('drain', () => say2('The drain has begun.')); });
    byId('set-level').addEventListener('click', () => { const level = byId('level').value; post('log-level?level=' + level, () => say2(`The log level is ${level}.`)); });
  }

  for (const place of document.querySelectorAll('[data-table]')) build(place, place.dataset.table);
  for (const kind of 'lreogkf') draw(kind, []);
  if (document.hidden) hidden = setTimeout(stop, HIDDEN_MS);
  start();
})();
