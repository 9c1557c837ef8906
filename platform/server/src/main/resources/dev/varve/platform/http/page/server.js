// Sends requests to the server of the page, with the key that the user gave.

/** The server returned an error, or could not be reached. */
export class ServerError extends Error {
    /**
     * @param {number} status of HTTP; 0 if the server could not be reached
     * @param {string} code such as 'model_not_found'; may be empty
     * @param {string} message text for the user
     * @param {number} [retryAfterSeconds] value of Retry-After, if the server sent it
     */
    constructor(status, code, message, retryAfterSeconds) {
        super(message);
        this.name = 'ServerError';
        this.status = status;
        this.code = code;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    /** Whether the server could not be reached. */
    get isGone() {
        return this.status === 0;
    }
}

/** Keys are stored until the tab is closed. */
class Keys {
    read(kind) {
        try {
            return sessionStorage.getItem(`varve.${kind}Key`) ?? '';
        } catch {
            return this[kind] ?? '';
        }
    }

    write(kind, key) {
        this[kind] = key;
        try {
            sessionStorage.setItem(`varve.${kind}Key`, key);
        } catch {
            // Without sessionStorage the page asks again after a reload.
        }
    }

    forget() {
        for (const kind of ['api', 'operator']) {
            delete this[kind];
            try {
                sessionStorage.removeItem(`varve.${kind}Key`);
            } catch {
                // Nothing was stored.
            }
        }
    }
}

export class Server {
    #keys = new Keys();
    #asking = new Map();
    /** Kinds of keys that the user refused to give when asked last. */
    #refused = new Set();
    #ask;

    /**
     * @param {URL} base base address of the API
     * @param {(kind: 'api'|'operator', wrong: boolean) => Promise<string|null>} ask asks the user
     *     for a key; null if there is none
     */
    constructor(base, ask) {
        this.base = base;
        this.#ask = ask;
    }

    /** Whether a key is stored. */
    get hasKey() {
        return this.#keys.read('api') !== '' || this.#keys.read('operator') !== '';
    }

    /** Whether an operator key is stored, in addition to the API key. */
    get hasOperatorKey() {
        return this.#keys.read('operator') !== '';
    }

    forgetKeys() {
        this.#keys.forget();
    }

    /**
     * Sends a request, and asks for a key if one is needed. A user who refused to give one is asked
     * again only by actions of the user.
     *
     * @param {string} path such as '/v1/models'
     * @param {object} [options]
     * @param {string} [options.method] GET if there is no body, else POST
     * @param {object} [options.body] sent as JSON
     * @param {object} [options.headers]
     * @param {AbortSignal} [options.signal]
     * @param {boolean} [options.operator] whether the route is for the operator, who may have
     *     another key
     * @param {boolean} [options.quiet] whether to fail rather than ask for a key
     * @param {boolean} [options.byUser] whether it is an action of the user; the default is true for
     *     requests that change something
     * @returns {Promise<Response>} with a status that is no error
     * @throws {ServerError} if the server returns an error or cannot be reached
     */
    async send(path, options = {}) {
        const kind = options.operator ? 'operator' : 'api';
        for (;;) {
            const key = this.#key(kind);
            const response = await this.#fetch(path, options, key);
            if (response.ok) {
                return response;
            }
            const error = await failure(response);
            if (error.status !== 401 || options.quiet) {
                throw error;
            }
            // Another request may have asked for the key in the meantime.
            if (this.#key(kind) !== key) {
                continue;
            }
            if (this.#refused.has(kind) && !(options.byUser ?? method(options) !== 'GET')) {
                throw error;
            }
            if (!await this.askKey(kind, key !== '')) {
                throw error;
            }
        }
    }

    /** Sends a request and reads the response as JSON; see send. */
    async json(path, options = {}) {
        const response = await this.send(path, {
            ...options,
            headers: {Accept: 'application/json', ...options.headers},
        });
        return response.json();
    }

    /**
     * Polls a path while the page is visible.
     *
     * @param {string} path
     * @param {number} millis time between a response and the next request
     * @param {(value: object) => void} onValue
     * @param {(error: ServerError) => void} onError called after each failure; polling continues
     * @param {object} [options] of send
     * @returns {() => void} stops polling
     */
    poll(path, millis, onValue, onError, options = {}) {
        const stop = new AbortController();
        const run = async () => {
            while (!stop.signal.aborted) {
                try {
                    await untilVisible(stop.signal);
                    const value = await this.json(path, {...options, signal: stop.signal});
                    if (!stop.signal.aborted) {
                        onValue(value);
                    }
                } catch (error) {
                    if (stop.signal.aborted) {
                        return;
                    }
                    onError(error);
                }
                await wait(millis, stop.signal);
            }
        };
        run();
        return () => stop.abort();
    }

    /** Asks the user for a key, once for concurrent requests; returns whether there is a new key. */
    async askKey(kind = 'api', wrong = false) {
        if (!this.#asking.has(kind)) {
            this.#asking.set(kind, this.#ask(kind, wrong).finally(() => this.#asking.delete(kind)));
        }
        const key = await this.#asking.get(kind);
        if (!key) {
            this.#refused.add(kind);
            return false;
        }
        this.#refused.delete(kind);
        this.#keys.write(kind, key);
        document.dispatchEvent(new Event('varve-key'));
        return true;
    }

    #key(kind) {
        return this.#keys.read(kind) || (kind === 'operator' ? this.#keys.read('api') : '');
    }

    async #fetch(path, options, key) {
        const headers = {...options.headers};
        if (key) {
            headers.Authorization = `Bearer ${key}`;
        }
        if (options.body !== undefined) {
            headers['Content-Type'] = 'application/json';
        }
        // Built here: an invalid request does not mean that the server cannot be reached.
        const request = new Request(new URL(path.replace(/^\//, ''), this.base), {
            method: method(options),
            headers,
            body: options.body === undefined ? undefined : JSON.stringify(options.body),
            signal: options.signal,
            cache: 'no-store',
            credentials: 'same-origin',
        });
        try {
            return await fetch(request);
        } catch (error) {
            if (options.signal?.aborted) {
                throw error;
            }
            document.dispatchEvent(new Event('varve-gone'));
            throw new ServerError(0, 'gone', 'The server does not respond.');
        }
    }
}

function method({method: given, body}) {
    return given ?? (body === undefined ? 'GET' : 'POST');
}

async function failure(response) {
    const text = await response.text().catch(() => '');
    const after = Number.parseInt(response.headers.get('Retry-After') ?? '', 10);
    const retry = Number.isNaN(after) ? undefined : after;
    try {
        const {error} = JSON.parse(text);
        return new ServerError(response.status, error.code ?? error.type ?? '', error.message, retry);
    } catch {
        return new ServerError(
            response.status, '', `The server responded with status ${response.status}.`, retry);
    }
}

/** Waits for a time, or until the signal aborts. */
export function wait(millis, signal) {
    return new Promise(resolve => {
        const timer = setTimeout(resolve, millis);
        signal?.addEventListener('abort', () => {
            clearTimeout(timer);
            resolve();
        }, {once: true});
    });
}

function untilVisible(signal) {
    if (!document.hidden) {
        return Promise.resolve();
    }
    return new Promise(resolve => {
        const done = new AbortController();
        const resolveIfVisible = () => {
            if (!document.hidden || signal.aborted) {
                done.abort();
                resolve();
            }
        };
        document.addEventListener('visibilitychange', resolveIfVisible, {signal: done.signal});
        signal.addEventListener('abort', resolveIfVisible, {signal: done.signal});
    });
}
