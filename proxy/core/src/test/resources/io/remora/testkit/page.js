// What a page does: posts a body, reads a stream piece by piece, talks over a WebSocket, and tells what it saw.
'use strict';

async function post() {
    const response = await fetch('/upload?octets', { method: 'POST', body: 'x'.repeat(300000) });
    return response.text();
}

/** The next piece is written only once this one was told of. */
async function readStream() {
    const reader = (await fetch('/stream')).body.getReader();
    let pieces = '';
    for (let one = await reader.read(); !one.done; one = await reader.read()) {
        pieces += `[${new TextDecoder().decode(one.value)}]`;
        await fetch('/heard');
    }
    return pieces;
}

function chat() {
    return new Promise((resolve) => {
        const socket = new WebSocket(`wss://${location.host}/chat`);
        const long = 'wide '.repeat(20000);
        let heard = '';
        socket.onopen = () => {
            socket.send('hello');
            socket.send(long);
        };
        socket.onmessage = (event) => {
            heard += event.data === long ? ', and the long one' : event.data;
            if (event.data === long) {
                socket.close(4000, 'enough');
            }
        };
        socket.onclose = (event) => resolve(`${heard}; ${socket.extensions}; ${event.code} ${event.wasClean}`);
    });
}

async function main() {
    const told = [`upload ${await post()}`, `stream ${await readStream()}`, `chat ${await chat()}`];
    for (const entry of [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]) {
        told.push(`${entry.nextHopProtocol} ${new URL(entry.name).pathname}`);
    }
    return told.join('\n');
}

addEventListener('load', async () => {
    const told = await main().catch((error) => `failed: ${error}`);
    await fetch('/told', { method: 'POST', body: told });
});
