// Node's ws on one end of a WebSocket, over HTTP/1.1 or on a stream of HTTP/2 (RFC 8441), which Node's own library speaks. It echoes what comes.
//   node websocket.js server PORT            over HTTP/1.1
//   node websocket.js server-http2 PORT      over HTTP/2, by prior knowledge
//   node websocket.js client URL             calls each case of a server that judges clients, four at a time
//   node websocket.js client-http2 URL       the same over one connection of HTTP/2
'use strict';

const { createHash } = require('node:crypto');
const http2 = require('node:http2');
const { Duplex } = require('node:stream');
const { WebSocket, WebSocketServer } = require('ws');

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const KEY = Buffer.alloc(16).toString('base64');
const LIMITS = { perMessageDeflate: true, maxPayload: 64 << 20, maxFragments: 0, maxBufferedChunks: 0 };
// Node refuses streams while more than ten MB wait, and some messages are larger.
const ROOM = { maxSessionMemory: 1000 };
const AT_A_TIME = 4;

/** What ws takes for a socket: a head of HTTP/1.1 goes to a function, and everything behind it is a stream's content. */
class Http1Face extends Duplex {
    constructor(onHead) {
        super({ allowHalfOpen: true });
        this.onHead = onHead;
        this.head = '';
    }

    over(stream) {
        this.stream = stream;
        stream.on('data', (octets) => this.push(octets) || stream.pause());
        stream.on('end', () => this.push(null));
        stream.on('error', () => this.destroy());
        stream.on('close', () => this.destroy());
    }

    _read() {
        this.stream?.resume();
    }

    _write(octets, encoding, done) {
        if (this.head === null) {
            this.stream.write(octets, done);
            return;
        }
        this.head += octets.toString('latin1');
        const end = this.head.indexOf('\r\n\r\n');
        if (end < 0) {
            done();
            return;
        }
        const [first, ...lines] = this.head.slice(0, end).split('\r\n');
        const rest = Buffer.from(this.head.slice(end + 4), 'latin1');
        this.head = null;
        const fields = {};
        for (const line of lines) {
            const colon = line.indexOf(':');
            fields[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
        }
        this.onHead(first, fields);
        rest.length > 0 ? this.stream.write(rest, done) : done();
    }

    _final(done) {
        this.stream.end(done);
    }

    _destroy(error, done) {
        this.stream?.destroy();
        done(error);
    }
}

/** Fields about a connection mean nothing in HTTP/2. */
function ofMessage(fields) {
    const { connection, upgrade, host, 'sec-websocket-accept': accept, ...others } = fields;
    return others;
}

function echo(socket) {
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
    socket.on('error', () => {});
}

// ---- servers

function serveHttp1(port) {
    new WebSocketServer({ ...LIMITS, port, host: '127.0.0.1' }).on('connection', echo);
}

function serveHttp2(port) {
    const sockets = new WebSocketServer({ ...LIMITS, noServer: true });
    const server = http2.createServer({ settings: { enableConnectProtocol: true }, ...ROOM });
    server.on('stream', (stream, headers) => {
        stream.on('error', () => {});
        if (headers[':protocol'] !== 'websocket') {
            stream.respond({ ':status': 400 }, { endStream: true });
            return;
        }
        const face = new Http1Face((line, fields) => {
            const status = Number(line.split(' ')[1]);
            stream.respond({ ':status': status === 101 ? 200 : status, ...ofMessage(fields) });
        });
        face.over(stream);
        const asked = { ...headers, upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-key': KEY };
        const request = { method: 'GET', url: headers[':path'], headers: asked, socket: face };
        sockets.handleUpgrade(request, face, Buffer.alloc(0), echo);
    });
    server.listen(port, '127.0.0.1');
}

// ---- clients

function http2Socket(session) {
    const face = new Http1Face((line, fields) => {
        const stream = session.request({
            ':method': 'CONNECT',
            ':protocol': 'websocket',
            ':scheme': 'http',
            ':path': line.split(' ')[1],
            ':authority': fields.host,
            ...ofMessage(fields),
        });
        stream.on('response', (headers) => {
            const status = headers[':status'];
            const accept = createHash('sha1').update(fields['sec-websocket-key'] + GUID).digest('base64');
            let head = status === 200 ? 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' : `HTTP/1.1 ${status} No\r\n`;
            head += `Sec-WebSocket-Accept: ${accept}\r\n`;
            for (const [name, value] of Object.entries(headers)) {
                head += name.startsWith(':') ? '' : `${name}: ${value}\r\n`;
            }
            face.push(`${head}\r\n`);
            face.over(stream);
        });
        stream.on('error', () => face.destroy());
        face.stream = stream;
    });
    return face;
}

async function callEachCase(url, options) {
    const call = (path, onSocket) =>
        new Promise((resolve) => {
            const socket = new WebSocket(url + path, { ...LIMITS, ...options() });
            let told = '';
            socket.on('message', (data) => (told += data));
            socket.on('error', (error) => (told = String(error)));
            socket.on('close', () => resolve(told));
            onSocket?.(socket);
        });
    const count = Number(await call('/getCaseCount'));
    let next = 1;
    const some = async () => {
        while (next <= count) {
            await call(`/runCase?case=${next++}&agent=ws`, echo);
        }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, some));
    await call('/updateReports?agent=ws');
    console.log(`called ${count} cases`);
}

async function callByHttp2(url) {
    const session = http2.connect(url.replace('ws:', 'http:'), ROOM);
    await new Promise((resolve) => session.once('remoteSettings', resolve));
    await callEachCase(url, () => ({ createConnection: () => http2Socket(session) }));
    session.destroy();
}

const [how, where] = process.argv.slice(2);
const ways = {
    server: () => serveHttp1(Number(where)),
    'server-http2': () => serveHttp2(Number(where)),
    client: () => callEachCase(where, () => ({})),
    'client-http2': () => callByHttp2(where),
};
ways[how]();
