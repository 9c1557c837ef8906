// Reads attached files: images, and the text of others. The files stay in the browser; only their text is sent.

/** Size of the largest text file, in bytes. */
const TEXT_BYTES = 1024 * 1024;
const PDF_BYTES = 32 * 1024 * 1024;
const PDF_PAGES = 500;
/** Time after which a PDF file counts as unreadable. */
const PDF_MILLIS = 30_000;
/** Length of all texts of a message together, in characters. */
const MESSAGE_CHARACTERS = 2 * 1024 * 1024;
const FILES = 10;
const NAME = 120;
const IMAGE_ENDING = /\.(png|jpe?g|gif|bmp|webp|avif|heic)$/i;

/**
 * Reads a file.
 *
 * @param {File} file
 * @param {{text: string}[]} others files of the same message
 * @param {string} imageProblem why images cannot be sent; empty: they can
 * @returns {Promise<{name: string, text: string, pages: number|undefined, image: string|undefined}>}
 * @throws {Error} with a message for the user
 */
export async function readFile(file, others, imageProblem) {
    // The name becomes part of a prompt.
    const name = file.name.replace(/[\p{Cc}\p{Cf}`]+/gu, ' ').slice(-NAME).trim() || 'file';
    if (others.length >= FILES) {
        throw new Error(`A message may have ${FILES} files.`);
    }
    if (/^image\/(?!svg)/.test(file.type) || file.type === '' && IMAGE_ENDING.test(name)) {
        if (imageProblem) {
            throw new Error(`“${name}” is an image. ${imageProblem}`);
        }
        const {readImage} = await import('./images.js');
        return readImage(file, name);
    }
    const isPdf = /\.pdf$/i.test(name) || file.type === 'application/pdf';
    const most = isPdf ? PDF_BYTES : TEXT_BYTES;
    if (file.size > most) {
        throw new Error(`“${name}” is too large: ${mebibytes(file.size)} MiB, at most ${mebibytes(most)}.`);
    }
    let bytes;
    try {
        bytes = new Uint8Array(await file.arrayBuffer());
    } catch {
        // Such as a folder, or a file that was deleted.
        throw new Error(`“${name}” cannot be read.`);
    }
    const read = isPdf ? await pdfText(bytes, name) : {text: plainText(bytes, name)};
    const length = others.reduce((sum, other) => sum + other.text.length, read.text.length);
    if (length > MESSAGE_CHARACTERS) {
        throw new Error(`“${name}” is too long: a message may have ${MESSAGE_CHARACTERS} characters of files.`);
    }
    return {name, ...read};
}

function mebibytes(bytes) {
    return (Math.ceil(bytes / 1024 / 1024 * 10) / 10).toLocaleString('en');
}

function plainText(bytes, name) {
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le'
        : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
    let text;
    try {
        text = new TextDecoder(encoding, {fatal: true}).decode(bytes);
    } catch {
        throw new Error(`“${name}” is neither text in UTF-8 nor a PDF file.`);
    }
    if (text.includes('\0')) {
        throw new Error(`“${name}” is neither text nor a PDF file.`);
    }
    if (text.trim() === '') {
        throw new Error(`“${name}” is empty.`);
    }
    return text.replaceAll('\r\n', '\n');
}

/** The address of the worker, for browsers that demand a trusted one. */
function workerAddress() {
    const address = String(new URL('../lib/pdf-worker.js', import.meta.url));
    policy ??= globalThis.trustedTypes?.createPolicy('varve-worker', {createScriptURL: () => address});
    return policy ? policy.createScriptURL('') : address;
}

let policy = null;

/** Text of the pages. A worker reads the file, and is ended when that takes too long. */
async function pdfText(bytes, name) {
    const {getDocument, PDFWorker} = await import('../lib/pdf.js');
    const port = new Worker(workerAddress(), {type: 'module'});
    let timer;
    try {
        return await Promise.race([
            pagesOf(getDocument, new PDFWorker({port, verbosity: 0}), bytes, name),
            new Promise((resolve, reject) => {
                timer = setTimeout(() => reject(new Error(`“${name}” takes too long to read.`)), PDF_MILLIS);
                port.onerror = () => reject(new Error(`“${name}” cannot be read.`));
            }),
        ]);
    } catch (error) {
        throw error.name === 'PasswordException' ? new Error(`“${name}” is encrypted.`)
            : error.message?.includes(name) ? error : new Error(`“${name}” is no PDF file, or is damaged.`);
    } finally {
        clearTimeout(timer);
        port.terminate();
    }
}

async function pagesOf(getDocument, worker, bytes, name) {
    const pdf = await getDocument({
        data: bytes,
        worker,
        // Only the text is read: no fonts, pictures or forms.
        disableFontFace: true,
        useSystemFonts: false,
        useWorkerFetch: false,
        useWasm: false,
        enableXfa: false,
        isEvalSupported: false,
        verbosity: 0,
    }).promise;
    if (pdf.numPages > PDF_PAGES) {
        throw new Error(`“${name}” has ${pdf.numPages} pages, at most ${PDF_PAGES} are possible.`);
    }
    const pages = [];
    let length = 0;
    for (let number = 1; number <= pdf.numPages && length <= MESSAGE_CHARACTERS; number++) {
        const page = await pdf.getPage(number);
        const {items} = await page.getTextContent();
        const text = items.map(({str, hasEOL}) => (str ?? '') + (hasEOL ? '\n' : '')).join('').trim();
        length += text.length;
        pages.push(text);
        page.cleanup();
    }
    const text = pages.filter(page => page !== '').join('\n\n').replaceAll('\0', '');
    if (text === '') {
        throw new Error(`“${name}” has no text; its pages may be pictures.`);
    }
    return {text, pages: pdf.numPages};
}
