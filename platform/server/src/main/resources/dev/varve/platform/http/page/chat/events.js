// Server-sent events of a fetch response: EventSource can send neither a key nor a body.

/**
 * Reads events as they arrive.
 *
 * @param {Response} response
 * @returns {AsyncGenerator<{id: string, data: string}>} comments are skipped
 */
export async function* events(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    let id = '';
    let data = [];
    try {
        for (;;) {
            const {done, value} = await reader.read();
            if (done) {
                return;
            }
            const lines = (rest + value).split('\n');
            rest = lines.pop();
            for (const raw of lines) {
                const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
                if (line === '') {
                    if (data.length > 0) {
                        yield {id, data: data.join('\n')};
                    }
                    data = [];
                } else if (line.startsWith('data:')) {
                    data.push(line.slice(5).trimStart());
                } else if (line.startsWith('id:')) {
                    id = line.slice(3).trim();
                }
            }
        }
    } finally {
        reader.cancel().catch(() => {});
    }
}
